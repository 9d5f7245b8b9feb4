// The whole application: the login page or the shell, by the state of the session.

import { Login } from './login.tsx';
import { session } from './session.ts';
import { Shell } from './shell.tsx';

export function App() {
  switch (session.value) {
    case 'signed-in':
      return <Shell />;
    case 'signed-out':
      return <Login />;
    case 'unreachable':
      return (
        <main class="login">
          <p role="status">The server does not answer. The page asks again every few seconds.</p>
        </main>
      );
    case 'unknown':
      return <main class="login" aria-busy="true" />;
  }
}
