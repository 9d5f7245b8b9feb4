// Bounds the reads that an organisation makes of its own data: jobs, events, usage, budgets. They count against no other
// limit, and reads of a store in this process block the event loop. A few of an organisation run at once, further ones wait in
// order of arrival, up to a bound; beyond it they are refused. Reads of all organisations start a few per turn of the event
// loop, so that other requests run in between: without a turn, reads of the embedded store would run one after another.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { TurnQueue } from '../../kernel/next-turn.ts';
import { type Bulkhead, bulkhead } from '../../resilience/policies/bulkhead.ts';

/** Runs a read for an organisation. Throws RATE_LIMITED when too many of its reads wait. */
export type OwnReads = <T>(organizationId: string, read: () => Promise<T>) => Promise<T>;

export type OwnReadBounds = {
  /** The reads of an organisation that run at once. */
  readonly concurrent: number;
  /** The reads of an organisation that may wait. */
  readonly queued: number;
};

const MAX_CONCURRENT_READS = 4;
const MAX_WAITING_READS = 200;
const DEFAULT_BOUNDS: OwnReadBounds = {
  concurrent: MAX_CONCURRENT_READS,
  queued: MAX_WAITING_READS,
};
/** Two pages of a list take a few milliseconds. */
const READS_PER_TURN = 2;
/** Reads take milliseconds, so a full queue is served in about this time. */
const RETRY_AFTER_MS = 1000;

export function createOwnReads(bounds: OwnReadBounds = DEFAULT_BOUNDS): OwnReads {
  /** Organisations whose reads run or wait. */
  const organizations = new Map<string, Bulkhead>();
  const turns = new TurnQueue(READS_PER_TURN);

  function slotsOf(organizationId: string): Bulkhead {
    const slots = organizations.get(organizationId) ?? bulkhead(bounds);
    organizations.set(organizationId, slots);
    return slots;
  }

  return async (organizationId, read) => {
    const slots = slotsOf(organizationId);
    if (isFull(slots, bounds)) throw tooManyReads();
    try {
      return await slots(async () => {
        await turns.turn();
        return read();
      });
    } finally {
      const { running, queued } = slots.load();
      if (running + queued === 0) organizations.delete(organizationId);
    }
  };
}

function isFull(slots: Bulkhead, bounds: OwnReadBounds): boolean {
  const { running, queued } = slots.load();
  return running >= bounds.concurrent && queued >= bounds.queued;
}

function tooManyReads(): SpillwayError {
  return new SpillwayError('RATE_LIMITED', 'the organisation has too many reads in progress', {
    params: { scope: 'organization', retryAfterMs: RETRY_AFTER_MS },
    retryAfterMs: RETRY_AFTER_MS,
  });
}
