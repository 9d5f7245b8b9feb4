// A short explanation on hover and focus. It repeats nothing that a reader needs: it explains a term.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './tooltip.css';

export function Tooltip({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <span class="tooltip">
      <button type="button" class="tooltip-term" aria-describedby={id}>
        {children}
      </button>
      <span id={id} class="tooltip-text" role="tooltip">
        {text}
      </span>
    </span>
  );
}
