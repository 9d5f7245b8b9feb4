// The port to a provider's server: send bytes, be told what comes back. It knows nothing of formats,
// retries or money, and of clocks only how long connecting may take. A call reports exactly one ending: `onEnd` or `onFailure`, never both, never twice.

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type UpstreamRequest = {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST' | 'GET';
  /** Names and values in turn; this is what goes out, nothing is added but what HTTP itself needs. */
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
  /** Ends the call now; the listener is told by `onFailure` unless it has ended already. */
  abort(reason: Error): void;
  /** Back-pressure: after `pause` at most what is on its way still arrives. */
  pause(): void;
  resume(): void;
};

export type Upstream = {
  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamCall;
  /** Waits for the calls in flight. */
  close(): Promise<void>;
};
