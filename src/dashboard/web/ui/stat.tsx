// One figure with its label: the smallest part of a page. The figure copies its exact value.

import type { ComponentChildren } from 'preact';
import { Copyable } from './copyable.tsx';
import { Skeleton } from './skeleton.tsx';
import './stat.css';

export type StatProps = {
  readonly label: ComponentChildren;
  /** Undefined: loading; null: no value yet. */
  readonly value: number | null | undefined;
  readonly format: (value: number) => string;
  /** Below the figure: its context. */
  readonly note?: ComponentChildren;
};

export function Stat({ label, value, format, note }: StatProps) {
  return (
    <div class="stat figures">
      <div class="stat-label">{label}</div>
      <div class="stat-figure">
        {value === undefined ? <Skeleton width="96px" height={24} /> : null}
        {value === null ? <span class="stat-none">–</span> : null}
        {typeof value === 'number' ? <Copyable value={value}>{format(value)}</Copyable> : null}
      </div>
      <div class="stat-note">{note}</div>
    </div>
  );
}
