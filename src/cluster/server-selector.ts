// Selects servers for a call from the directory. When none is left, one critical entry is logged until a selection succeeds
// again: a cluster without capacity is one fact, however many requests meet it.

import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { rankServers, type SelectionTerms } from './select-server.ts';
import type { ServerDirectory } from './server-directory.ts';
import type { RegisteredServer } from './server-record.ts';

export type ServerSelector = {
  /** The servers that can take the call, the best first; empty if none can. Never rejects. */
  select(terms: SelectionTerms): Promise<readonly RegisteredServer[]>;
};

export type ServerSelectorParts = {
  readonly directory: ServerDirectory;
  readonly clock: Pick<Clock, 'random'>;
  readonly log: Log;
};

export function createServerSelector({
  directory,
  clock,
  log,
}: ServerSelectorParts): ServerSelector {
  let isExhausted = false;

  return {
    async select(terms) {
      const snapshot = await directory.snapshot();
      const ranked = rankServers(snapshot, terms, () => clock.random());
      const wasExhausted = isExhausted;
      isExhausted = ranked.length === 0;
      if (isExhausted && !wasExhausted)
        log.write({
          level: 'critical',
          type: 'capacity',
          message: 'no server of the cluster can take the call',
          metadata: {
            provider: terms.call?.provider,
            availableCount: 0,
            totalRegistered: snapshot.servers.length,
          },
        });
      return ranked;
    },
  };
}
