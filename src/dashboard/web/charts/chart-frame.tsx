// The frame of a chart: heading, legend, the picture, and the same figures as a table on request. While the first data
// loads it shows a skeleton of the final height; without data it shows the caller's sentence in the same place.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Tone, toneColor } from './tone.ts';

export type LegendItem = {
  readonly label: string;
  readonly tone: Tone;
  readonly figure?: string;
  readonly dashed?: boolean;
};

export type FigureTable = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

export type ChartState = 'loading' | 'empty' | 'ready';

export type ChartFrameProps = {
  readonly title: string;
  /** One or two sentences that give a screen reader the content of the picture. */
  readonly description: string;
  readonly state: ChartState;
  readonly height: number;
  readonly emptyText?: ComponentChildren;
  readonly legend?: readonly LegendItem[];
  readonly note?: ComponentChildren;
  /** Called only while the table is open. */
  readonly table: () => FigureTable;
  readonly children: ComponentChildren;
};

export function ChartFrame(props: ChartFrameProps) {
  const { title, description, state, height, legend = [], note } = props;
  return (
    <figure class="chart" aria-label={`${title}. ${state === 'ready' ? description : ''}`}>
      <figcaption class="chart-head">
        <span class="chart-title">{title}</span>
        {note ? <span class="chart-note">{note}</span> : null}
      </figcaption>
      <div class="chart-body" style={{ minHeight: `${height}px` }}>
        {state === 'loading' ? <ChartSkeleton height={height} /> : null}
        {state === 'empty' ? (
          <div class="chart-empty">{props.emptyText ?? 'No data yet.'}</div>
        ) : null}
        {state === 'ready' ? props.children : null}
      </div>
      {state === 'ready' && legend.length > 0 ? <Legend items={legend} /> : null}
      {state === 'ready' ? <TableOnRequest title={title} table={props.table} /> : null}
    </figure>
  );
}

export function Legend({ items }: { readonly items: readonly LegendItem[] }) {
  return (
    <ul class="chart-legend">
      {items.map(({ label, tone, figure, dashed }) => (
        <li key={label}>
          <span
            class={dashed ? 'chart-swatch chart-swatch-dashed' : 'chart-swatch'}
            style={dashed ? { borderColor: toneColor(tone) } : { background: toneColor(tone) }}
          />
          <span class="chart-legend-label">{label}</span>
          {figure === undefined ? null : <span class="figure">{figure}</span>}
        </li>
      ))}
    </ul>
  );
}

function ChartSkeleton({ height }: { readonly height: number }) {
  return <div class="chart-skeleton" style={{ height: `${height}px` }} aria-hidden="true" />;
}

function TableOnRequest(props: { readonly title: string; readonly table: () => FigureTable }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="chart-table"
      onToggle={(event: Event & { currentTarget: HTMLDetailsElement }) =>
        setOpen(event.currentTarget.open)
      }
    >
      <summary>Table</summary>
      {isOpen ? <Figures title={props.title} {...props.table()} /> : null}
    </details>
  );
}

function Figures({ title, columns, rows }: FigureTable & { readonly title: string }) {
  return (
    <section class="chart-table-scroll" tabIndex={0} aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${index} ${row[0]}`}>
              {row.map((cell, column) => (
                <td key={columns[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
