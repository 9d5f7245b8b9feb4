// Stores the successful answers of an organisation that allows stale ones, and replays the last answer to the identical
// request, marked with its age, when no provider can serve a request with `X-Spillway-Degrade: stale`. While the store is
// unavailable nothing is stored or replayed, and the request is served like any other.

import { fingerprintOf } from '../../admission/idempotency-key.ts';
import {
  STALE_RETENTION_MS,
  type StaleAnswer,
  type StaleAnswers,
} from '../../admission/stale-answers.ts';
import type { StoredAnswer } from '../../admission/stored-answer.ts';
import type { Clock } from '../../kernel/clock.ts';
import { addStandings, namingHeaders, servedHeaders } from './answer-headers.ts';
import { AnswerRecorder } from './answer-recorder.ts';
import type { NativeRequest } from './native-request.ts';
import type { AnswerFailure, FailedRequest, Reply, Serve, ServedRequest } from './reply.ts';

export type StaleParts = {
  readonly answers: StaleAnswers;
  readonly clock: Clock;
  readonly serverId: string;
};

export const DEGRADED_HEADER = 'x-spillway-degraded';

export function serveStale(
  parts: StaleParts,
  request: NativeRequest,
  to: { readonly reply: Reply; readonly answerFailure: AnswerFailure },
  serve: Serve,
): ServedRequest {
  const { answers, clock } = parts;
  const recording = new RecordingReply(to.reply, (answer) => {
    if (answer?.status !== 200) return;
    void answers.keep(...keyOf(request), answer, clock.now()).catch(() => {});
  });
  return serve(recording, (failure) => {
    const mayBeStale = request.headers['x-spillway-degrade'] === 'stale';
    if (!mayBeStale || failure.isBegun || !isLackOfCapacity(failure))
      return to.answerFailure(failure);
    void answerStale(parts, request, to, failure);
  });
}

async function answerStale(
  parts: StaleParts,
  request: NativeRequest,
  { reply, answerFailure }: { readonly reply: Reply; readonly answerFailure: AnswerFailure },
  failure: FailedRequest,
): Promise<void> {
  const { answers, clock } = parts;
  const since = clock.now() - STALE_RETENTION_MS;
  const found = await answers.find(...keyOf(request), since).catch(() => undefined);
  if (!found) return answerFailure(failure);
  reply.begin(found.status, staleHeaders(parts, request, found, failure));
  reply.end(found.body);
}

function keyOf({ principal, url, body }: NativeRequest): [string, string] {
  return [principal.organizationId, fingerprintOf('POST', url, body)];
}

function staleHeaders(
  { clock, serverId }: StaleParts,
  request: NativeRequest,
  answer: StaleAnswer,
  { attempts = 0, standings = [] }: FailedRequest,
): string[] {
  const now = clock.now();
  const ageSeconds = Math.max(0, Math.floor((now - answer.storedAt) / 1000));
  const { 'content-type': contentType = 'application/json' } = answer.headers;
  const headers = [
    'content-type',
    contentType,
    'content-length',
    String(answer.body.length),
    DEGRADED_HEADER,
    `stale; age=${ageSeconds}`,
    ...namingHeaders(request),
    ...servedHeaders(serverId, attempts),
  ];
  addStandings(headers, standings, now);
  return headers;
}

/**
 * A mistake of the caller or a spent budget is answered as such; a stale answer would hide it. A deadline that has
 * passed before the first attempt is also the caller's mistake: it ends the request before its limits and its budget
 * are checked.
 */
function isLackOfCapacity({ error, attempts = 0 }: FailedRequest): boolean {
  const { code, params } = error;
  return (
    code === 'AI_LIMIT_REACHED' ||
    code === 'PROVIDER_UNAVAILABLE' ||
    (code === 'NETWORK_TIMEOUT' && attempts > 0) ||
    (code === 'RATE_LIMITED' && params.scope !== 'organization')
  );
}

type OnAnswer = (answer: StoredAnswer | undefined) => void;

/** Passes an answer on and records it. */
class RecordingReply implements Reply {
  readonly #reply: Reply;
  readonly #onAnswer: OnAnswer;
  readonly #recorder = new AnswerRecorder();

  constructor(reply: Reply, onAnswer: OnAnswer) {
    this.#reply = reply;
    this.#onAnswer = onAnswer;
  }

  begin(status: number, headers: string[]): void {
    this.#recorder.begin(status, headers);
    this.#reply.begin(status, headers);
  }

  write(chunk: Buffer): boolean {
    this.#recorder.add(chunk);
    return this.#reply.write(chunk);
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.#recorder.add(Buffer.from(chunk));
    this.#reply.end(chunk);
    this.#onAnswer(this.#recorder.answer());
  }
}
