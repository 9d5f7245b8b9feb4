// Counts where requests were served: here, at another server, or at none, by reason. The counts are part of the server's
// record, so that any server can sum the counts of the cluster.

import type { Metrics } from '../kernel/metrics.ts';

/** `failed`: no other server could take the request. */
export type RoutingOutcome = 'local' | 'proxied' | 'failed';

export type RoutingCounts = Readonly<Record<RoutingOutcome, Readonly<Record<string, number>>>>;

export type RoutingStatistics = {
  /** `reason` is of a closed list, such as `local_ai_limit`; it becomes a label. */
  count(outcome: RoutingOutcome, reason: string): void;
  /** A server has answered a forwarded request. */
  forwarded(toServerId: string): void;
  counts(): RoutingCounts;
  /** Answered forwarded requests by server. */
  forwardedTo(): Readonly<Record<string, number>>;
};

export const NO_ROUTING: RoutingCounts = Object.freeze({ local: {}, proxied: {}, failed: {} });

export function createRoutingStatistics(metrics: Metrics): RoutingStatistics {
  const family = metrics.counter('cluster.routing.decisions', 'Routing decisions.', [
    'outcome',
    'reason',
  ]);
  const answered = new Map<string, number>();
  return {
    forwarded(toServerId) {
      if (answered.size < MAX_SERVERS || answered.has(toServerId))
        answered.set(toServerId, (answered.get(toServerId) ?? 0) + 1);
    },
    forwardedTo: () => Object.fromEntries(answered),
    count(outcome, reason) {
      family.cell(outcome, reason).value += 1;
    },
    counts() {
      const counts = { local: {}, proxied: {}, failed: {} };
      for (const { labels, cell } of family.series.values()) {
        const [outcome = '', reason = ''] = labels;
        if (isOutcome(outcome)) Object.assign(counts[outcome], { [reason]: cell.value });
      }
      return counts;
    },
  };
}

/** The sum over servers, by outcome and reason. */
export function sumRouting(all: readonly RoutingCounts[]): RoutingCounts {
  const sum: Record<RoutingOutcome, Record<string, number>> = {
    local: {},
    proxied: {},
    failed: {},
  };
  for (const counts of all)
    for (const outcome of OUTCOMES)
      for (const [reason, count] of Object.entries(counts[outcome]))
        sum[outcome][reason] = (sum[outcome][reason] ?? 0) + count;
  return sum;
}

/** Ids of servers that a rolling restart has replaced stay in the counts. */
const MAX_SERVERS = 200;
const OUTCOMES = ['local', 'proxied', 'failed'] as const;

function isOutcome(text: string): text is RoutingOutcome {
  return text === 'local' || text === 'proxied' || text === 'failed';
}
