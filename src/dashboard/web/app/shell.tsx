// The frame around every page: the rail with the pages and their states, the top bar with the one sentence, the content.
// Below 720 px the rail is a bar at the bottom.

import { useEffect } from 'preact/hooks';
import { Icon } from '../ui/icons.tsx';
import { STATE_WORDS, type State, StatusShape } from '../ui/status.tsx';
import { Toasts } from '../ui/toast.tsx';
import { LazyPage } from './lazy-page.tsx';
import { live, startLive } from './live.ts';
import { Mark } from './mark.tsx';
import { PAGES, type PageId, pageOf } from './pages.ts';
import { linkTo, route } from './router.ts';
import { Shortcuts } from './shortcuts.tsx';
import { TopBar } from './top-bar.tsx';
import './shell.css';

export function Shell() {
  useEffect(startLive, []);
  const page = pageOf(route.value.page);
  useEffect(() => {
    document.title = `${page?.title ?? 'Not found'} · Spillway`;
  }, [page]);
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <Rail current={page?.id} />
      <TopBar />
      <main id="content" class="content" tabIndex={-1}>
        {page ? <LazyPage key={page.id} page={page} /> : <NoPage />}
      </main>
      <Toasts />
      <Shortcuts />
    </div>
  );
}

function Rail({ current }: { readonly current: PageId | undefined }) {
  const states: Partial<Record<string, State>> = live.state.value?.pages ?? {};
  return (
    <nav class="rail" aria-label="Pages">
      <a class="rail-home" href={linkTo('overview')} aria-label="Spillway, overview">
        <Mark size={24} />
        <span class="rail-title">Spillway</span>
      </a>
      <ul class="rail-pages">
        {PAGES.filter(({ isHidden }) => !isHidden).map(({ id, title }) => (
          <li key={id}>
            <a
              class="rail-link"
              href={linkTo(id)}
              title={title}
              aria-current={current === id ? 'page' : undefined}
            >
              <Icon name={id} size={18} />
              <span class="rail-title">{title}</span>
              <RailState state={states[id]} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A good page needs no mark in the rail: only a state that needs attention has one. */
function RailState({ state }: { readonly state: State | undefined }) {
  if (state === undefined) return null;
  return (
    <span class="rail-state" title={STATE_WORDS[state]}>
      <StatusShape state={state} size={8} />
      <span class="visually-hidden">, {STATE_WORDS[state]}</span>
    </span>
  );
}

function NoPage() {
  return (
    <p>
      There is no page at this address. <a href={linkTo('overview')}>Open the overview.</a>
    </p>
  );
}

/** The hash is the address of a page, so the link moves the focus itself. */
function focusContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
