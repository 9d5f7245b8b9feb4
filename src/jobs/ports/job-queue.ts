// The port to the queues. A queue delivers each message at least once and never forgets one that it has
// taken; it knows nothing of jobs. While it is away publishing rejects and nothing is delivered; consumers
// go on by themselves when it is back.

export type QueueMessage = {
  /** Publishing an id that the queue still holds may be ignored. */
  readonly id: string;
  readonly body: string;
  /** Who waits beside whom: lanes take turns. Queues that cannot do this ignore it. */
  readonly lane?: string;
  /** 0 to 9, the highest first, within a lane. Queues that cannot do this ignore it. */
  readonly priority?: number;
};

/**
 * A message that the store takes in the same transaction as what it tells of. Without a broker it is then
 * already on its queue; with one it is relayed.
 */
export type Announcement = {
  readonly queue: string;
  readonly message: QueueMessage;
  readonly delayMs?: number;
  /** In which order such messages come does not matter: none of them has to wait for the turn of another. */
  readonly isUnordered?: boolean;
};

export type Delivery = {
  readonly id: string;
  readonly body: string;
  /** 1 for the first time, as far as the queue can tell. */
  readonly deliveries: number;
};

/**
 * What becomes of a delivery: done with, or wanted again after a while. `isUncounted`: what it waits for is no doing of
 * the message, so that this delivery is not held against it.
 */
export type DeliveryOutcome =
  | 'ack'
  | { readonly retryAfterMs: number; readonly isUncounted?: boolean };

/**
 * `leavePlace`: what the place was for is done, and the next may begin; what is left to do for this one holds up nobody.
 * Idempotent, and said by itself when the handler has ended.
 */
export type DeliveryHandler = (
  delivery: Delivery,
  leavePlace: () => void,
) => Promise<DeliveryOutcome>;

export type ConsumeOptions = {
  /** How many deliveries have a place at once. */
  readonly concurrency: number;
  /** How many more may be in hand that have left theirs; none unless told. */
  readonly finishing?: number;
  /** Aborting it is like `close`, without the waiting. */
  readonly signal?: AbortSignal;
};

export type Consumer = {
  /** Takes no more, gives back what was not started, and waits for what was. Idempotent. */
  close(): Promise<void>;
};

export type PublishOptions = {
  readonly delayMs?: number;
  /** The delay is one that many messages share; a queue may keep those where other systems look for them. */
  readonly isFixedDelay?: boolean;
};

export type QueueDepth = {
  readonly ready: number;
  /** Held back until a moment that has not come. */
  readonly delayed: number;
  readonly inFlight: number;
  /** When the oldest ready message was published. */
  readonly oldestAt?: number | undefined;
};

export type JobQueue = {
  /**
   * The longest delay it holds a message for; absent where it holds any. A longer one is left to the store: `publish`
   * resolves though the message is on no queue, and once it is due it counts as missing until it is published.
   */
  readonly longestDelayMs?: number;
  /** Resolves when the message is durable, and not before. */
  publish(queue: string, message: QueueMessage, options?: PublishOptions): Promise<void>;
  /** A handler that throws is asked again later: a failure of ours must not cost a message. */
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Consumer;
  depth(queue: string): Promise<QueueDepth>;
  /** Which of these messages the queue does not hold any more, as far as it can tell. */
  missing(
    queue: string,
    messages: readonly { readonly id: string; readonly publishedAt: number }[],
  ): Promise<readonly string[]>;
  /** How many are served before this one; undefined where the queue cannot tell. */
  ahead(queue: string, messageId: string): Promise<number | undefined>;
  /** Closes every consumer. Idempotent. */
  close(): Promise<void>;
};
