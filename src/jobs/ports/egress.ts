// The port to addresses that callers name: callbacks and images. The adapter connects to public addresses only (it
// checks the address that a name resolves to at that time), follows no redirect and reads at most `maxAnswerBytes`. A
// host that is not allowed rejects with INVALID_REQUEST, an unreachable host with NETWORK_TIMEOUT.

export type EgressRequest = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxAnswerBytes: number;
  /** From the name lookup to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Called with the length of each received chunk; a throw ends the request with that error. */
  readonly onBytes?: (bytes: number) => void;
};

export type EgressAnswer = {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** The answer was longer than `maxAnswerBytes`. */
  readonly isCut: boolean;
};

export type Egress = {
  send(request: EgressRequest, signal?: AbortSignal): Promise<EgressAnswer>;
  /** Waits for requests in flight. Idempotent. */
  close(): Promise<void>;
};
