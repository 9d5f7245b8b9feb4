// Loads the code of a page when it is opened and shows a skeleton until then. If the code cannot be loaded (the server
// was updated, the network is gone) it shows one sentence and a button.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Page } from './pages.ts';

type Loaded =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly Component: ComponentType }
  | { readonly state: 'failed' };

const components = new Map<string, ComponentType>();

export function LazyPage({ page }: { readonly page: Page }) {
  const [loaded, setLoaded] = useState<Loaded>(() => known(page));
  useEffect(() => {
    let isGone = false;
    setLoaded(known(page));
    page.load().then(
      ({ default: Component }) => {
        components.set(page.id, Component);
        if (!isGone) setLoaded({ state: 'ready', Component });
      },
      () => !isGone && setLoaded({ state: 'failed' }),
    );
    return () => {
      isGone = true;
    };
  }, [page]);
  if (loaded.state === 'ready') return <loaded.Component />;
  if (loaded.state === 'loading') return <p class="visually-hidden">Loading {page.title} …</p>;
  return (
    <p>
      The code of this page could not be loaded, probably because the server was updated.{' '}
      <a href="/">Reload the dashboard.</a>
    </p>
  );
}

function known(page: Page): Loaded {
  const Component = components.get(page.id);
  return Component ? { state: 'ready', Component } : { state: 'loading' };
}
