// The page of the shop: a chat, a product page in the making, and bad days to rehearse.

import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import { ProductPage } from './product-page.tsx';
import { Rehearsals } from './rehearsals.tsx';

function App() {
  return (
    <>
      <header className="bar">
        <p className="brand">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M2 20 9 6l4 7 2-3 7 10z" />
          </svg>
          Fjell &amp; Field
        </p>
        <p className="tagline">Outdoor equipment since 1974</p>
      </header>
      <main>
        <Chat />
        <aside>
          <ProductPage />
          <Rehearsals />
        </aside>
      </main>
    </>
  );
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
