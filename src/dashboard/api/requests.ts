// Requests: GET /admin/requests (the list) and GET /admin/requests/{id} (one request with its timeline).

/**
 * GET /admin/requests?from&to&code&model&provider&organizationId&minLatencyMs&limit&cursor → PageOf<RequestRow>, newest
 * first. A row is the last attempt of a request; `code` is `OK` or a Spillway error code. All filters are optional; `limit`
 * is 50 by default and 200 at most. A page with filters may have fewer rows than `limit` and still a `nextCursor`: the
 * server reads a bounded number of rows per page.
 */
export type RequestRow = {
  readonly id: string;
  /** When the last attempt ended. */
  readonly at: number;
  readonly organizationId: string;
  readonly keyId: string;
  /** The caller's own label; null without one. */
  readonly userId: string | null;
  readonly provider: string;
  readonly model: string;
  /** `OK`, or the error code of the last attempt. */
  readonly code: string;
  /** Number of attempts that were sent. */
  readonly attempts: number;
  /** Duration of the last attempt. */
  readonly latencyMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly isStreamed: boolean;
  /** The provider reported no usage: tokens and cost are estimates. */
  readonly isEstimated: boolean;
};

/**
 * GET /admin/requests/{id}. The fields of a failure record (`attempts[].raw`, `error`, `partial`, `reason`) exist for failed
 * requests only, and for a few hours; the timeline exists as long as usage is stored.
 */
export type RequestDetails = {
  readonly id: string;
  readonly correlationId?: string;
  readonly organizationId: string;
  readonly keyId?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly attempts: readonly RequestAttempt[];
  /** The internal reason, if no attempt was sent. */
  readonly reason?: string;
  /** The error in the response to the caller. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** What the caller had received when its stream was cut. */
  readonly partial?: { readonly text: string; readonly bytes: number };
  readonly timeline: Timeline;
};

export type RequestAttempt = {
  readonly id: string;
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** From the attempt's start to the first content of its stream. */
  readonly firstContentMs?: number;
  readonly provider?: string;
  readonly model?: string;
  /** The provider's HTTP status, if it answered at all. */
  readonly status?: number;
  /** `OK`, or a Spillway error code. */
  readonly code: string;
  /** The internal reason of a failure. */
  readonly reason: string;
  readonly raw?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
};

/** The waterfall of a request or of a job: spans on one time axis, in order of their start. */
export type Timeline = {
  readonly startedAt: number;
  /** null while it runs. */
  readonly endedAt: number | null;
  readonly spans: readonly TimelineSpan[];
  readonly outcome: string;
  readonly costUsd: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
};

export type TimelineSpan = {
  /** admission, wait, attempt and callback have a duration; first-content and end are instants. */
  readonly kind: 'admission' | 'wait' | 'attempt' | 'first-content' | 'end';
  /** A phrase: "waits for a free slot at anthropic", "attempt 2 at openai, gpt-5". */
  readonly label: string;
  /** Why it took time or how it ended: an error code or a sentence; null without one. */
  readonly reason: string | null;
  readonly startedAt: number;
  /** Equal to startedAt for an instant; null while it lasts. */
  readonly endedAt: number | null;
  readonly status: 'good' | 'degraded' | 'bad' | 'unknown';
  readonly provider: string | null;
  readonly model: string | null;
  /** `OK` or an error code, for attempts. */
  readonly code: string | null;
  readonly costUsd: number | null;
};
