// The login page: one field for the admin key, and where to find it.

import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { ApiError, failureText } from './api-client.ts';
import { Mark } from './mark.tsx';
import { hasSessionEnded } from './session.ts';
import { signIn } from './sign-in.ts';
import './login.css';

export function Login() {
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      await signIn(key.trim());
    } catch (error) {
      setFailure(loginFailure(error));
      setIsBusy(false);
    }
  };
  return (
    <main class="login">
      <form
        class="login-card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Mark size={40} />
        <h1>Sign in to Spillway</h1>
        <p class="login-text" role="status">
          {hasSessionEnded.value
            ? 'Your session has ended. Sign in again to go on where you were.'
            : 'For the operators of this gateway.'}
        </p>
        <Input
          label="Admin key"
          type="password"
          value={key}
          onInput={setKey}
          error={failure}
          autocomplete="current-password"
          isRequired
          hasFocus
          hint={
            <>
              The value of <code>SPILLWAY_ADMIN_KEY</code>, or the file <code>admin-key</code> in
              the data folder, <code>.spillway</code> by default.
            </>
          }
        />
        <Button kind="primary" type="submit" isBusy={isBusy} isDisabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

function loginFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return failureText(error);
  if (error.status === 401) return 'This is not the admin key of this server.';
  if (error.status === 429) return 'Too many wrong keys. Wait a minute, then try again.';
  return error.message;
}
