// The values of all series of a chart at one time, next to the pointer.

import { exactTimeText } from './figure-text.ts';
import type { SeriesData } from './series-data.ts';
import { toneColor } from './tone.ts';

/** `originPx`: the left edge of the drawing within the chart. */
export type Cursor = { readonly index: number; readonly leftPx: number; readonly originPx: number };

export function Tip(props: {
  readonly data: SeriesData;
  readonly cursor: Cursor;
  readonly format: (value: number) => string;
  readonly hint: string | undefined;
}) {
  const { data, cursor, format } = props;
  const at = data.times[cursor.index];
  const isLate = cursor.index > data.times.length / 2;
  if (at === undefined) return null;
  return (
    <div
      class={isLate ? 'chart-tip chart-tip-left' : 'chart-tip'}
      style={{ left: `${cursor.leftPx + cursor.originPx}px` }}
      aria-hidden="true"
    >
      <div class="chart-tip-time">{exactTimeText(at)}</div>
      {data.lines.map(({ label, tone, values }) => (
        <div class="chart-tip-row" key={label}>
          <span class="chart-swatch" style={{ background: toneColor(tone) }} />
          <span>{label}</span>
          <span class="figure">
            {(values[cursor.index] ?? null) === null
              ? 'no data'
              : format(values[cursor.index] ?? 0)}
          </span>
        </div>
      ))}
      {props.hint ? <div class="chart-tip-hint">{props.hint}</div> : null}
    </div>
  );
}
