// Delivers the notices of the board to their sinks, in the order of their creation, at least once. A failed delivery is
// repeated with growing delays; after the last one the notice is abandoned and logged. A slow or unavailable sink does
// not delay the evaluation, and delays the other sinks by one pass at most.

import type { Clock } from '../kernel/clock.ts';
import { type Log, logFailure } from '../kernel/log.ts';
import type { AlertSinkName } from '../kernel/notify/alert-name.ts';
import type { AlertBoard, QueuedNotice } from './alert-board.ts';
import type { AlertSink } from './alert-sink.ts';
import { messageId } from './evaluator-parts.ts';

export type DeliveryParts = {
  readonly board: Pick<AlertBoard, 'claimNotices' | 'settleNotice'>;
  readonly sinks: ReadonlyMap<AlertSinkName, AlertSink>;
  readonly clock: Clock;
  readonly log: Log;
};

const BATCH = 20;
/** After this time the notices of a slow sink go back to the board, which the next pass claims again. */
const MAX_PASS_MS = 20_000;
/**
 * Longer than a pass plus the send that may still be in flight at its end, so that no other server sends the notice
 * too.
 */
const CLAIM_MS = 60_000;
const RETRY_DELAYS_MS = [5000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 3_600_000] as const;

/** Delivers all notices that are due. */
export async function deliverNotices(parts: DeliveryParts, signal: AbortSignal): Promise<void> {
  const { board, clock } = parts;
  while (!signal.aborted) {
    const now = clock.now();
    const notices = await board.claimNotices(now, now + CLAIM_MS, BATCH);
    const bySink = Map.groupBy(notices, ({ sink }) => sink);
    await Promise.all([...bySink.values()].map((each) => deliverInOrder(parts, each, signal)));
    if (notices.length < BATCH) return;
  }
}

/** After a failure the later notices of the same sink wait as long, so that no end overtakes its start. */
async function deliverInOrder(
  parts: DeliveryParts,
  notices: readonly QueuedNotice[],
  signal: AbortSignal,
): Promise<void> {
  const { clock } = parts;
  const endsAt = clock.now() + MAX_PASS_MS;
  let retryAt: number | undefined;
  for (const notice of notices) {
    if (retryAt === undefined && clock.now() >= endsAt) retryAt = clock.now();
    if (retryAt !== undefined) {
      await parts.board.settleNotice(notice.id, { retryAt, isFailure: false });
      continue;
    }
    retryAt = await deliverOne(parts, notice, signal);
  }
}

/** Resolves to the time of the next delivery; undefined after a success or the last failure. */
async function deliverOne(
  { board, sinks, clock, log }: DeliveryParts,
  { id, phase, sink, text, alert, failures }: QueuedNotice,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    await sinks.get(sink)?.send({ id: messageId(alert.id, phase), phase, text, alert }, signal);
  } catch (cause) {
    const delayMs = RETRY_DELAYS_MS[failures];
    const message = `an alert did not reach its ${sink}; ${delayMs === undefined ? 'it is not tried again' : 'it is tried again'}`;
    logFailure(log, message, cause, { level: 'warn', metadata: { alert: alert.name, phase } });
    if (delayMs !== undefined) {
      const retryAt = clock.now() + Math.round(delayMs * (0.9 + 0.2 * clock.random()));
      await board.settleNotice(id, { retryAt, isFailure: true });
      return retryAt;
    }
  }
  // Also for a sink that is no longer configured.
  await board.settleNotice(id, 'done');
  return undefined;
}
