// Servers that consume the same queues must share the durable store: otherwise one would receive pointers to jobs of the
// other. The first server records the id of its store on the broker, and every other server compares. The record of a queue
// is an exchange that routes nothing: declaring it is atomic, and the broker refuses a second declaration with another id.
// After the broker has lost its data, the first server to reconnect records the id again.

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { brokerCode } from '../connection/broker-error.ts';

/** `unchecked`: the user may not declare the record. */
export type QueueClaim = 'own' | 'foreign' | 'unchecked';

export async function claimQueue(
  connection: BrokerConnection,
  queue: string,
  storeId: string,
): Promise<QueueClaim> {
  try {
    await connection.withChannel((channel) =>
      channel.exchangeDeclare({
        exchange: recordOf(queue),
        type: 'fanout',
        durable: true,
        // The only argument of an exchange that the broker compares; no exchange of that name exists.
        arguments: { 'alternate-exchange': `spillway-store-id:${storeId}` },
      }),
    );
    return 'own';
  } catch (cause) {
    const code = brokerCode(cause);
    if (code === 'PRECONDITION_FAILED') return 'foreign';
    if (code === 'ACCESS_REFUSED') return 'unchecked';
    throw cause;
  }
}

/** The name of a queue's record, for an operator to delete it. */
export function recordOf(queue: string): string {
  return `spillway-store:${queue}`;
}
