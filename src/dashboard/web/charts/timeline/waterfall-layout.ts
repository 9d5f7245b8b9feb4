// The geometry of a request's or a job's timeline: each span as a share of the whole time. A span that lasts still ends at
// the present time. Short spans keep a visible width: the stylesheet gives them a minimum.

import type { Timeline, TimelineSpan } from '../../../api/requests.ts';
import { durationText } from '../figure-text.ts';
import { clampFraction } from '../scale.ts';

export type WaterfallRow = {
  readonly span: TimelineSpan;
  /** Percent of the whole time. */
  readonly leftPercent: number;
  readonly widthPercent: number;
  readonly isInstant: boolean;
  readonly isRunning: boolean;
  /** "1.2 s", or "+1.2 s" for an instant. */
  readonly figure: string;
};

export type WaterfallPicture = {
  readonly rows: readonly WaterfallRow[];
  readonly totalMs: number;
  /** Labels of the axis at 0, 25, 50, 75 and 100 percent. */
  readonly ticks: readonly string[];
};

const TICKS = [0, 0.25, 0.5, 0.75, 1];

export function waterfallLayout(timeline: Timeline, nowMs: number): WaterfallPicture {
  const start = timeline.startedAt;
  const ends = timeline.spans.map(
    ({ endedAt, startedAt }) => endedAt ?? Math.max(nowMs, startedAt),
  );
  const totalMs = Math.max(
    1,
    timeline.endedAt === null ? nowMs - start : 0,
    ...ends.map((end) => end - start),
    (timeline.endedAt ?? start) - start,
  );
  return {
    totalMs,
    ticks: TICKS.map((share) => durationText(totalMs * share)),
    rows: timeline.spans.map((span, index) => {
      const end = ends[index] ?? span.startedAt;
      const isInstant = span.endedAt === span.startedAt;
      const left = clampFraction((span.startedAt - start) / totalMs);
      return {
        span,
        leftPercent: left * 100,
        widthPercent: clampFraction((end - span.startedAt) / totalMs) * 100,
        isInstant,
        isRunning: span.endedAt === null,
        figure: isInstant
          ? `+${durationText(span.startedAt - start)}`
          : durationText(end - span.startedAt),
      };
    }),
  };
}
