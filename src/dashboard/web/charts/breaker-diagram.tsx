// A circuit breaker as a word and a small state diagram with the present state lit:
// closed (calls pass) → open (calls are refused) → probing (one call tests the provider) → closed or open.

import { nearTimeText } from './figure-text.ts';
import type { State } from './tone.ts';
import './charts.css';

export type BreakerState = 'closed' | 'open' | 'half_open';

export type BreakerDiagramProps = {
  /** The subject of the breaker: "anthropic us-east". */
  readonly label: string;
  readonly state: BreakerState;
  /** When an open breaker admits its probe. */
  readonly probesAtMs?: number | undefined;
  readonly nowMs: number;
};

const NODES: readonly { state: BreakerState; word: string; x: number; tone: State }[] = [
  { state: 'closed', word: 'closed', x: 30, tone: 'good' },
  { state: 'open', word: 'open', x: 110, tone: 'bad' },
  { state: 'half_open', word: 'probing', x: 190, tone: 'degraded' },
];

export function BreakerDiagram({ label, state, probesAtMs, nowMs }: BreakerDiagramProps) {
  const meaning = breakerMeaning(state, probesAtMs, nowMs);
  return (
    <div class="breaker">
      <svg
        class="breaker-picture"
        role="img"
        aria-label={`Circuit breaker of ${label}: ${meaning}`}
        viewBox="0 0 220 62"
        width="220"
        height="62"
      >
        <path class="breaker-arrow" d="M41 22 H96" />
        <path class="breaker-head" d="M96 18 l6 4 l-6 4 z" />
        <path class="breaker-arrow" d="M121 22 H176" />
        <path class="breaker-head" d="M176 18 l6 4 l-6 4 z" />
        <path class="breaker-arrow" d="M190 11 C 170 -2, 50 -2, 33 8" />
        <path class="breaker-head" d="M37 3 l-7 7 l9 0 z" />
        {NODES.map((node) => (
          <g
            key={node.state}
            class={node.state === state ? `breaker-node lit tone-${node.tone}` : 'breaker-node'}
          >
            <circle cx={node.x} cy="22" r="9" />
            <text x={node.x} y="52">
              {node.word}
            </text>
          </g>
        ))}
      </svg>
      <p class="breaker-meaning">{meaning}</p>
    </div>
  );
}

function breakerMeaning(
  state: BreakerState,
  probesAtMs: number | undefined,
  nowMs: number,
): string {
  if (state === 'closed') return 'Closed: calls pass.';
  if (state === 'half_open') return 'Probing: one call tests whether the provider has recovered.';
  if (probesAtMs === undefined || probesAtMs <= nowMs) {
    return 'Open: calls go to other targets; the next call is the probe.';
  }
  return `Open: calls go to other targets until ${nearTimeText(probesAtMs, nowMs)}, then one call probes.`;
}
