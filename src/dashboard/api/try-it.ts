// POST /admin/try: a real request through the gateway as the organisation `default`, and what happened. The simulator's
// scenarios: GET /admin/simulator/scenarios, GET, PUT and DELETE /admin/simulator/scenario; these routes exist only while the
// simulator stands in for the providers (`cluster.hasSimulator` of the live state).

export type WireFormat = 'messages' | 'chat' | 'responses' | 'generate';

export type TryRequest = {
  /** The wire format of the request: Anthropic Messages, OpenAI Chat or Responses, Gemini generateContent. */
  readonly format: WireFormat;
  /** A model or an alias: GET /v1/models, or `models` of GET /admin/try. */
  readonly model: string;
  /** At most 4,000 characters. */
  readonly prompt: string;
  /** false by default. */
  readonly stream?: boolean;
  /** The locales of `sentences`, at most 10; by default en, de and ja. */
  readonly locales?: readonly string[];
  /** A preset of the simulator that is active only for this request; refused without the simulator. */
  readonly scenario?: string;
};

/** GET /admin/try: the choices of the form. */
export type TryOptions = {
  readonly formats: readonly WireFormat[];
  /** Aliases first, then models; at most 200. */
  readonly models: readonly string[];
  readonly locales: readonly string[];
  /** Empty without the simulator. */
  readonly scenarios: readonly { readonly name: string; readonly description: string }[];
};

export type TryAnswer = {
  /** The response that the caller gets. */
  readonly status: number;
  /** An allow-list of headers: content type, retry-after, x-spillway-…, request id, rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text: JSON, or the events of a stream. At most 64 KiB. */
  readonly body: string;
  /** The body was longer than 64 KiB. */
  readonly isBodyCut: boolean;
  /** The text of the answer; null for a failure. */
  readonly text: string | null;
  readonly requestId: string;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  /** Spillway's error code; null for a success. */
  readonly code: string | null;
  /** The sentence that a user would read, per locale; empty for a success. */
  readonly sentences: readonly {
    readonly locale: string;
    /** The language's own name: "Deutsch". */
    readonly language: string;
    readonly direction: 'ltr' | 'rtl';
    readonly text: string;
  }[];
  /** What the gateway did, in order. */
  readonly steps: readonly TryStep[];
};

export type TryStep = {
  /** Milliseconds after the request began. */
  readonly atMs: number;
  readonly status: 'good' | 'degraded' | 'bad' | 'unknown';
  /** A sentence: "Sent attempt 1 to anthropic, claude-sonnet-4-5." */
  readonly text: string;
};
