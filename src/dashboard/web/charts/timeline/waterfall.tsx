// The timeline of a request or a job: admission, waits with their reason, attempts, first content, end, and the money. It is
// a list that reads well without the bars; the bars are decoration for a screen reader.

import type { Timeline } from '../../../api/requests.ts';
import { countText, durationText, exactTimeText, moneyText } from '../figure-text.ts';
import { toneColor } from '../tone.ts';
import { type WaterfallRow, waterfallLayout } from './waterfall-layout.ts';
import '../charts.css';
import './waterfall.css';

export type WaterfallProps = {
  readonly timeline: Timeline | undefined;
  readonly nowMs: number;
};

export function Waterfall({ timeline, nowMs }: WaterfallProps) {
  if (timeline === undefined) return <WaterfallSkeleton />;
  const { rows, totalMs, ticks } = waterfallLayout(timeline, nowMs);
  return (
    <div class="waterfall">
      <ol class="waterfall-rows">
        <li class="waterfall-axis" aria-hidden="true">
          <span>
            {ticks.map((tick, index) => (
              <span key={`${index} ${tick}`}>{tick}</span>
            ))}
          </span>
        </li>
        {rows.map((row, index) => (
          <Row key={`${index} ${row.span.kind}`} row={row} />
        ))}
      </ol>
      <p class="waterfall-total">{totalText(timeline, totalMs)}</p>
    </div>
  );
}

function Row({ row }: { readonly row: WaterfallRow }) {
  const { span, isInstant, isRunning } = row;
  const kind = isInstant ? 'waterfall-mark' : `waterfall-bar waterfall-${span.kind}`;
  return (
    <li class="waterfall-row" title={exactTimeText(span.startedAt)}>
      <span class="waterfall-label">
        <span class={`waterfall-sign tone-${span.status}`} aria-hidden="true">
          {SIGNS[span.status]}
        </span>
        <span>
          {span.label}
          {span.reason === null ? null : <span class="waterfall-reason"> {span.reason}</span>}
        </span>
      </span>
      <span class="waterfall-track" aria-hidden="true">
        <span
          class={isRunning ? `${kind} waterfall-running` : kind}
          style={{
            left: `${row.leftPercent}%`,
            width: isInstant ? undefined : `${row.widthPercent}%`,
            background: toneColor(toneOf(row)),
          }}
        />
      </span>
      <span class="waterfall-figure figure">
        {row.figure}
        {isRunning ? ' so far' : ''}
        {span.costUsd === null ? '' : `, ${moneyText(span.costUsd)}`}
      </span>
    </li>
  );
}

/** The state is not shown by colour alone: each sign has its own shape, and label and reason state it in words. */
const SIGNS = { good: '●', degraded: '▲', bad: '■', unknown: '○' } as const;

/** A wait without a problem is neither work nor a fault. */
function toneOf({ span }: WaterfallRow) {
  if (span.kind === 'wait' && span.status === 'good') return 'unknown';
  return span.status === 'good' ? 'accent' : span.status;
}

function totalText(timeline: Timeline, totalMs: number): string {
  const parts = [
    timeline.outcome,
    `${durationText(totalMs)}${timeline.endedAt === null ? ' so far' : ''}`,
    timeline.inputTokens === null
      ? ''
      : `${countText(timeline.inputTokens)} tokens in, ${countText(timeline.outputTokens ?? 0)} out`,
    timeline.costUsd === null ? '' : moneyText(timeline.costUsd),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function WaterfallSkeleton() {
  return (
    <div class="waterfall" aria-hidden="true">
      {[80, 55, 70].map((width) => (
        <div key={width} class="chart-skeleton waterfall-skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
