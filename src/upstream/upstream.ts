// The port to a provider's server: it sends one request and reports the response as bytes. It knows nothing about
// formats, retries or money, and its only clock is the connect timeout. A call reports exactly one outcome: `onEnd` or
// `onFailure`, never both, never twice. `send` returns before it calls the listener.

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type UpstreamRequest = {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  /** Names and values alternating. The adapter adds only the headers that HTTP itself needs. */
  readonly headers: string[];
  readonly body: Buffer | null;
};

export type UpstreamListener = {
  onHead(status: number, headers: UpstreamHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFailure(error: Error): void;
};

export type UpstreamCall = {
  /** Ends the call; the listener gets `onFailure(reason)` unless the call has already ended. */
  abort(reason: Error): void;
  /** Back-pressure: after `pause` only bytes that were already read are still delivered. */
  pause(): void;
  resume(): void;
};

export type Upstream = {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamCall;
  /** Waits for the calls in flight. Idempotent. */
  close(): Promise<void>;
};
