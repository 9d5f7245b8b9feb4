// The counts of routing as rows in words, the largest first.

import type { ClusterStatus } from '../../../api/cluster.ts';

export type RoutingRow = { readonly key: string; readonly text: string; readonly count: number };

const KINDS = { local: 'served here', proxied: 'forwarded', failed: 'failed' } as const;

/** Reasons in words; a reason without an entry is shown with spaces in place of underscores. */
const REASONS: Readonly<Record<string, string>> = {
  available: 'capacity was free',
  local_ai_limit: 'a provider limit on the first server',
  provider_throttled: 'the provider throttled the first server',
  circuit_open: 'an open circuit on the first server',
  at_capacity: 'the first server was at its limit',
  draining: 'the first server drains',
};

export function routingRows({ byReason }: ClusterStatus['routing']): readonly RoutingRow[] {
  const rows = (['local', 'proxied', 'failed'] as const).flatMap((kind) =>
    Object.entries(byReason[kind]).map(([reason, count]) => ({
      key: `${kind} ${reason}`,
      text: `${KINDS[kind]}: ${REASONS[reason] ?? reason.replaceAll('_', ' ')}`,
      count,
    })),
  );
  return rows.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
}
