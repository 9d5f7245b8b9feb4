// The port to the queues. A queue delivers each message at least once and keeps an accepted message until it is
// acknowledged; it knows nothing about jobs. While the broker or store behind it is unavailable, `publish` rejects and
// nothing is delivered; consumers resume automatically.

export type QueueMessage = {
  /** Publishing an id that is still in the queue may be ignored. */
  readonly id: string;
  readonly body: string;
  /** The tenant queue it waits in; tenant queues are served in turn. Queues without this feature ignore it. */
  readonly tenant?: string;
  /** 0 to 9, the highest first, within a tenant queue. Queues without this feature ignore it. */
  readonly priority?: number;
  /** Set for a foreign message that is sent on as it came; `body` is then not sent. Only a broker has this feature. */
  readonly carries?: CarriedMessage;
};

/** A foreign message as it was delivered. */
export type MessageSource = {
  readonly body: string;
  /** The bytes in base64, if they are not valid UTF-8; `body` is then for display only. */
  readonly base64?: string;
  /** The properties of the transport, such as the content type; only the queue reads them. */
  readonly properties?: Readonly<Record<string, unknown>>;
};

/** A foreign message with the pointer of its job beside it. */
export type CarriedMessage = {
  readonly source: MessageSource;
  readonly jobId: string;
  readonly fence: number;
};

/**
 * A message that the store writes in the transaction of a job's move. Without a broker it is then already on its
 * queue; with one it is relayed.
 */
export type OutboxMessage = {
  readonly queue: string;
  readonly message: QueueMessage;
  readonly delayMs?: number;
  /** The order of such messages does not matter, so writing one takes no lock on its tenant queue. */
  readonly isUnordered?: boolean;
};

export type Delivery = {
  readonly id: string;
  readonly body: string;
  /** 1 for the first delivery, as far as the queue counts them. */
  readonly deliveries: number;
  /** The message as it came; absent where only Spillway publishes. */
  readonly source?: MessageSource;
  /** The pointer beside a foreign message that Spillway has sent on. */
  readonly pointer?: { readonly jobId: string; readonly fence: number };
  /**
   * Publishes `message` and acknowledges this delivery: both or neither, even if this process dies in between. The
   * handler's outcome is then ignored. Present if the consumer `isTransactional` and the queue supports it.
   */
  readonly replaceBy?: (
    queue: string,
    message: QueueMessage,
    options?: PublishOptions,
  ) => Promise<void>;
};

/**
 * The handler's answer to a delivery: acknowledge it, or deliver it again later. `isUncounted`: the message is not the
 * reason for the delay, so this delivery does not count towards the limit of deliveries.
 */
export type DeliveryOutcome =
  | 'ack'
  | { readonly retryAfterMs: number; readonly isUncounted?: boolean };

/**
 * `releaseSlot` lets the next delivery start while this one is still being finished. Idempotent, and implied when the
 * handler ends.
 */
export type DeliveryHandler = (
  delivery: Delivery,
  releaseSlot: () => void,
  outsideSlot: OutsideSlot,
) => Promise<DeliveryOutcome>;

/**
 * Runs `work` while another delivery uses the slot, then takes the next free slot. The number of such deliveries has no
 * bound in the queue: the handler bounds it.
 */
export type OutsideSlot = <T>(work: () => Promise<T>) => Promise<T>;

export type ConsumeOptions = {
  /** The number of deliveries that may hold a slot. */
  readonly concurrency: number;
  /** The number of deliveries that may still be finishing after they have released their slot; 0 by default. */
  readonly finishing?: number;
  /** Aborting it closes the consumer without waiting. */
  readonly signal?: AbortSignal;
  /** Whether deliveries have `replaceBy`. Slower: acknowledgements wait for a commit of the broker. */
  readonly isTransactional?: boolean;
};

export type Consumer = {
  /** Accepts no further delivery, returns deliveries that were not started and waits for the others. Idempotent. */
  close(): Promise<void>;
};

export type PublishOptions = {
  readonly delayMs?: number;
  /** Many messages share this delay; a queue may keep them where other systems look for them. */
  readonly isFixedDelay?: boolean;
};

export type QueueDepth = {
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
  /** When the oldest ready message was published. */
  readonly oldestAt?: number | undefined;
};

/** Queues by name that deliver each message at least once. */
export type JobQueue = {
  /**
   * The longest delay the queue supports; absent where any delay is. A longer delay is left to the store: `publish`
   * resolves although the message is on no queue, and the sweeper publishes it once it is due.
   */
  readonly longestDelayMs?: number;
  /** Resolves when the message is durable. */
  publish(queue: string, message: QueueMessage, options?: PublishOptions): Promise<void>;
  /** If the handler throws, the message is delivered again: a fault of Spillway's must not cost a message. */
  consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Consumer;
  depth(queue: string): Promise<QueueDepth>;
  /** The ids among `messages` that are no longer in the queue, as far as the queue knows. */
  missing(
    queue: string,
    messages: readonly { readonly id: string; readonly publishedAt: number }[],
  ): Promise<readonly string[]>;
  /** The number of messages served before this one; undefined where the queue does not know. */
  ahead(queue: string, messageId: string): Promise<number | undefined>;
  /** Closes every consumer. Idempotent. */
  close(): Promise<void>;
};
