// Turns a response into a result: an answer, a stream, a queued job or a failure. It never throws for an answer
// that it does not understand.

import { readEvents, type ServerEvent } from './event-stream.ts';
import {
  clockSkew,
  type ErrorCode,
  type Failure,
  type FailureContext,
  findFailure,
  isRecord,
  number,
  parseJson,
  readFailure,
} from './failure.ts';

/** The four results of a request; `kind` says which. */
export type Answer<T = unknown> =
  | {
      readonly kind: 'answer';
      readonly data: T;
      readonly status: number;
      /** The server's clock minus this device's, in milliseconds. */
      readonly skewMs: number;
      readonly requestId?: string | undefined;
      /** Set when the answer is an earlier one: `stale; age=…`. */
      readonly degraded?: string | undefined;
    }
  | {
      readonly kind: 'stream';
      readonly events: AsyncIterable<StreamedEvent>;
      readonly requestId?: string | undefined;
    }
  | { readonly kind: 'queued'; readonly job: QueuedJob; readonly requestId?: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An event of a streamed answer; `failure` is set on the error event with which a broken stream ends. */
export type StreamedEvent = Omit<ServerEvent, 'data'> & {
  readonly data: unknown;
  readonly failure?: Failure | undefined;
};

/** The receipt of a queued request. */
export type QueuedJob = {
  readonly id: string;
  /** Where the job can be followed, on the origin that answered. */
  readonly url: string;
  readonly status: string;
} & JobEstimate;

/** A job's position in the queue and its expected times. */
export type JobEstimate = {
  /** Jobs ahead of it, and itself. */
  readonly position?: number | undefined;
  /** Epoch milliseconds of this device's clock. */
  readonly estimatedStartAt?: number | undefined;
  readonly estimatedFinishAt?: number | undefined;
};

/** The options of `readAnswer`. */
export type ReadOptions = {
  /** The path under which the application's server offers Spillway's endpoints; '' by default. */
  readonly base?: string | undefined;
  /** The sentence for a failure that carries none, in the page's language. */
  readonly sentence?: ((code: ErrorCode) => string) | undefined;
};

/** Turns a response into an answer, a stream, a queued job or a failure. It rejects only if the body cannot be read. */
export async function readAnswer<T = unknown>(
  response: Response,
  { base, sentence }: ReadOptions = {},
): Promise<Answer<T>> {
  const { ok, status, headers, body } = response;
  const skewMs = clockSkew(headers);
  const context: FailureContext = { status, headers, sentence, skewMs };
  const requestId = headers.get('x-request-id') ?? undefined;
  if (ok && body && headers.get('content-type')?.startsWith('text/event-stream'))
    return { kind: 'stream', events: streamed(body, context), requestId };
  const data = parseJson(await response.text());
  // `/api/chat` states a failure in its body; the application's server may pass it on with any status.
  if (!ok || (isRecord(data) && data['success'] === false))
    return { kind: 'failed', failure: readFailure(data, context) };
  const result = isRecord(data) && data['success'] === true ? data['result'] : data;
  const job = queuedJob(result, response, base, skewMs);
  if (job) return { kind: 'queued', job, requestId };
  const degraded = headers.get('x-spillway-degraded') ?? undefined;
  // The caller asserts the type of an answer, because it knows which endpoint it called.
  return { kind: 'answer', data: result as T, status, skewMs, requestId, degraded };
}

/** Where a job can be followed. */
export function jobUrl(id: string, base = ''): string {
  return `${base}/v1/jobs/${encodeURIComponent(id)}`;
}

/** Where a build's events can be followed. */
export function buildUrl(buildId: string, base = ''): string {
  return `${base}/v1/builds/${encodeURIComponent(buildId)}/events`;
}

async function* streamed(
  body: ReadableStream<Uint8Array>,
  context: FailureContext,
): AsyncGenerator<StreamedEvent, void, void> {
  for await (const event of readEvents(body)) {
    const data = parseJson(event.data);
    yield { ...event, data, failure: findFailure(data, context) };
  }
}

/** A receipt of a 202, or the `jobId` of `/api/chat`. */
function queuedJob(
  result: unknown,
  { status, headers }: Response,
  base: string | undefined,
  skewMs: number,
): QueuedJob | undefined {
  if (!isRecord(result)) return undefined;
  const { status: state = 'queued' } = result;
  const id = result['jobId'] ?? (status === 202 ? result['id'] : undefined);
  if (typeof id !== 'string' || typeof state !== 'string') return undefined;
  return {
    id,
    url: locationOf(headers, base) ?? jobUrl(id, base),
    status: state,
    ...estimateOf(result, skewMs),
  };
}

/** A job's position, and its expected times by this device's clock. */
export function estimateOf(fields: Readonly<Record<string, unknown>>, skewMs: number): JobEstimate {
  const here = (time: unknown) => (number(time) === undefined ? undefined : Number(time) - skewMs);
  return {
    position: number(fields['position']),
    estimatedStartAt: here(fields['estimatedStartAt']),
    estimatedFinishAt: here(fields['estimatedFinishAt']),
  };
}

/**
 * A location on another origin is not followed: the page talks to its own application. That server may pass on
 * Spillway's location without its own base.
 */
function locationOf(headers: Headers, base = ''): string | undefined {
  const location = headers.get('location') ?? '';
  if (!/^\/[^/]/.test(location)) return undefined;
  return location.startsWith(`${base}/`) ? location : base + location;
}
