// A limit as a ring that empties until its reset, with the countdown inside. The caller passes the present time, so that
// all countdowns of a page change together; the stylesheet moves the ring between two of them.

import { clockText, countdownText, durationText, nearTimeText } from './figure-text.ts';
import { clampFraction } from './scale.ts';
import { type Tone, toneColor } from './tone.ts';
import './charts.css';

export type RingProps = {
  /** What is limited, for the accessible name: "anthropic us-east". */
  readonly label: string;
  readonly nowMs: number;
  /** When the limit ends. Undefined draws an empty ring with a dash: the end is unknown. */
  readonly resetsAtMs: number | undefined;
  /** When the limit began; the ring is full at that time. Without it the ring is full at `windowMs` before the reset. */
  readonly sinceMs?: number | undefined;
  readonly windowMs?: number;
  readonly tone?: Tone;
  /** Side of the square in pixels. */
  readonly size?: number;
};

const DEFAULT_WINDOW_MS = 60_000;
const RADIUS = 42;

export function Ring(props: RingProps) {
  const { label, nowMs, resetsAtMs, tone = 'bad', size = 96 } = props;
  const remaining = resetsAtMs === undefined ? undefined : Math.max(0, resetsAtMs - nowMs);
  const left = remaining === undefined ? 0 : remainingFraction(props, remaining);
  const text = remaining === undefined ? '–' : countdownText(remaining);
  return (
    <svg
      class="ring"
      role="img"
      aria-label={ringDescription(label, nowMs, resetsAtMs)}
      viewBox="0 0 100 100"
      width={size}
      height={size}
    >
      <circle class="ring-track" cx="50" cy="50" r={RADIUS} />
      <circle
        class="ring-rest"
        cx="50"
        cy="50"
        r={RADIUS}
        pathLength={100}
        stroke={toneColor(tone)}
        stroke-dasharray="100 100"
        stroke-dashoffset={100 - left * 100}
        transform="rotate(-90 50 50)"
        visibility={left === 0 ? 'hidden' : 'visible'}
      />
      <text class={text.length > 5 ? 'ring-text ring-text-small' : 'ring-text'} x="50" y="50">
        {text}
      </text>
      <text class="ring-note" x="50" y="68">
        {resetsAtMs === undefined ? 'end unknown' : clockText(resetsAtMs)}
      </text>
    </svg>
  );
}

function remainingFraction({ sinceMs, resetsAtMs, windowMs }: RingProps, remaining: number) {
  const whole =
    sinceMs !== undefined && resetsAtMs !== undefined && resetsAtMs > sinceMs
      ? resetsAtMs - sinceMs
      : Math.max(windowMs ?? DEFAULT_WINDOW_MS, remaining);
  return clampFraction(remaining / whole);
}

function ringDescription(label: string, nowMs: number, resetsAtMs: number | undefined): string {
  if (resetsAtMs === undefined) return `${label}: limited, end unknown`;
  if (resetsAtMs <= nowMs) return `${label}: the limit is over`;
  const left = durationText(resetsAtMs - nowMs);
  return `${label}: limited until ${nearTimeText(resetsAtMs, nowMs)}, ${left} left`;
}
