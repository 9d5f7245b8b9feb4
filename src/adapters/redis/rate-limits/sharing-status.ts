// Reports to operators whether rate limits are counted in Redis or by this server's safe share: one log line per change
// and one gauge, however many requests are affected, and a counter of local decisions.

import type { Log } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';

export type SharingStatus = {
  /** The first report of a shared state is not logged. */
  report(isShared: boolean, reason?: string): void;
  countLocalDecision(): void;
};

const SHARED_AGAIN = 'rate limits are counted in Redis again, shared with the other servers';
const FALLBACK =
  'Redis is unavailable: this server enforces its safe share of each rate limit until Redis answers';

export function createSharingStatus(log: Log, metrics: Metrics): SharingStatus {
  const shared = metrics
    .gauge(
      'ratelimit.shared',
      '1 while rate limits are counted in Redis, 0 while this server uses its safe share.',
    )
    .cell();
  const local = metrics
    .counter('ratelimit.local_decisions', 'Rate limit decisions made while Redis was unavailable.')
    .cell();
  let wasShared = true;

  return {
    report(isShared, reason) {
      shared.value = isShared ? 1 : 0;
      if (isShared === wasShared) return;
      wasShared = isShared;
      const metadata = reason === undefined ? {} : { metadata: { reason } };
      const level = isShared ? 'info' : 'warn';
      log.write({
        level,
        type: 'capacity',
        message: isShared ? SHARED_AGAIN : FALLBACK,
        ...metadata,
      });
    },
    countLocalDecision() {
      local.value += 1;
    },
  };
}
