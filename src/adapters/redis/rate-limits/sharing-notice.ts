// Tells operators whether rate limits are counted together: one log line each way and one gauge, and a count of what
// was decided alone; however many requests notice.

import type { Log } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';

export type SharingNotice = {
  /** That it is shared at the start is nothing to write down. */
  tell(isShared: boolean, reason?: string): void;
  countLocalDecision(): void;
};

const AGAIN = 'Rate limits are counted together with the other servers again';
const ALONE =
  'Rate limits are counted by this server alone, at its safe share, until Redis is back';

export function createSharingNotice(log: Log, metrics: Metrics): SharingNotice {
  const shared = metrics
    .gauge('ratelimit.shared', '1 while rate limits are counted by all servers together')
    .cell();
  const local = metrics
    .counter('ratelimit.local_decisions', 'Rate limit decisions made while Redis was away')
    .cell();
  let wasShared = true;

  return {
    tell(isShared, reason) {
      shared.value = isShared ? 1 : 0;
      if (isShared === wasShared) return;
      wasShared = isShared;
      const metadata = reason === undefined ? {} : { metadata: { reason } };
      const level = isShared ? 'info' : 'warn';
      log.write({ level, type: 'capacity', message: isShared ? AGAIN : ALONE, ...metadata });
    },
    countLocalDecision() {
      local.value += 1;
    },
  };
}
