// The port to addresses that callers name: callbacks and images. Whoever stands behind it connects to public addresses
// alone, whatever a name resolves to at that moment, follows no redirect and reads no more than it is told. A host
// that may not be connected to rejects with INVALID_REQUEST, one that does not answer with NETWORK_TIMEOUT.

export type EgressRequest = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Beyond this the answer is not read. */
  readonly maxAnswerBytes: number;
  /** From the first look at the name to the last byte of the answer. */
  readonly timeoutMs: number;
};

export type EgressAnswer = {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** The answer was longer than was asked for. */
  readonly isCut: boolean;
};

export type Egress = {
  send(request: EgressRequest, signal?: AbortSignal): Promise<EgressAnswer>;
  /** Waits for what is under way. Idempotent. */
  close(): Promise<void>;
};
