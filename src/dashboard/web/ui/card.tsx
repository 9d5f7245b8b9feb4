// A card groups figures of one subject on the second surface. `span` is its width in the 12-column grid of a page.

import type { ComponentChildren } from 'preact';
import './card.css';

export type CardProps = {
  readonly title?: ComponentChildren;
  /** Shown to the right of the title: a figure, a button. */
  readonly aside?: ComponentChildren;
  readonly span?: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 12;
  /** Content up to the edge, for tables. */
  readonly isFlush?: boolean;
  /** The target of a link or a scroll to the card. */
  readonly id?: string;
  readonly children: ComponentChildren;
};

export function Card({ title, aside, span = 12, isFlush = false, id, children }: CardProps) {
  return (
    <section id={id} class={`card span-${span}${isFlush ? ' card-flush' : ''}`}>
      {title === undefined ? null : (
        <header class="card-head">
          <h2>{title}</h2>
          {aside}
        </header>
      )}
      <div class="card-body">{children}</div>
    </section>
  );
}

/** The 12-column grid of a page. */
export function Grid({ children }: { readonly children: ComponentChildren }) {
  return <div class="grid">{children}</div>;
}

/** The title of a page and, at its right, what applies to the whole page. */
export function PageHead(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1>{props.title}</h1>
      <div class="page-head-side">{props.children}</div>
    </header>
  );
}
