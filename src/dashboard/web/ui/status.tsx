// The four states, each with a colour, a shape and a word: a filled circle is good, a triangle degraded, a square bad, a ring
// unknown. Nothing else uses these colours.

import type { ComponentChildren } from 'preact';
import './status.css';

export type State = 'good' | 'degraded' | 'bad' | 'unknown';

export const STATE_WORDS: Readonly<Record<State, string>> = {
  good: 'good',
  degraded: 'degraded',
  bad: 'bad',
  unknown: 'unknown',
};

/** The shape alone; the text beside it must have the word. */
export function StatusShape({
  state,
  size = 10,
}: {
  readonly state: State;
  readonly size?: number;
}) {
  return (
    <svg
      class={`status-shape state-${state}`}
      width={size}
      height={size}
      viewBox="0 0 10 10"
      aria-hidden="true"
      focusable="false"
    >
      {SHAPES[state]}
    </svg>
  );
}

/** Shape and word. `word` is the state in the terms of its subject: "limited", "open", "firing". */
export function Status({ state, word }: { readonly state: State; readonly word?: string }) {
  return (
    <span class={`status state-${state}`}>
      <StatusShape state={state} />
      {word ?? STATE_WORDS[state]}
    </span>
  );
}

/** A word on a tinted ground: of a state, or neutral. */
export function Badge(props: { readonly state?: State; readonly children: ComponentChildren }) {
  const { state, children } = props;
  return (
    <span class={state ? `badge badge-state state-${state}` : 'badge'}>
      {state ? <StatusShape state={state} size={8} /> : null}
      {children}
    </span>
  );
}

const SHAPES: Readonly<Record<State, ComponentChildren>> = {
  good: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  degraded: <path d="M5 .8 9.6 9.2H.4z" fill="currentColor" />,
  bad: <rect x="1" y="1" width="8" height="8" rx="1" fill="currentColor" />,
  unknown: <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" stroke-width="1.5" />,
};
