// An organisation that allows old answers has its good ones kept as they pass. A request of it that would rather have its
// own last good answer than none (`X-Spillway-Degrade: stale`) is given that again, marked with its age, when no
// provider can serve it. A store that is away keeps nothing and gives nothing: the request is then like any other.

import { fingerprintOf } from '../../admission/idempotency-key.ts';
import { KEPT_FOR_MS } from '../../admission/idempotency-store.ts';
import { toKeptAnswer } from '../../admission/kept-answer.ts';
import type { StaleAnswer, StaleAnswers } from '../../admission/stale-answers.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { addStandings, namingHeaders, servedHeaders } from './answer-headers.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { headerPairs } from './header-pairs.ts';
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
  const keeping = new KeepingReply(to.reply, (status, headers, body) => {
    if (status !== 200) return;
    const answer = toKeptAnswer(status, headers, body);
    const { answers, clock } = parts;
    if (answer) void answers.keep(...placeOf(request), answer, clock.now()).catch(() => {});
  });
  return serve(keeping, (failure) => {
    const { isBegun, error } = failure;
    const mayBeStale = request.headers['x-spillway-degrade'] === 'stale';
    if (!mayBeStale || isBegun || !isLackOfCapacity(error)) return to.answerFailure(failure);
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
  const since = clock.now() - KEPT_FOR_MS;
  const found = await answers.find(...placeOf(request), since).catch(() => undefined);
  if (!found) return answerFailure(failure);
  reply.begin(found.status, staleHeaders(parts, request, found, failure));
  reply.end(found.body);
}

function placeOf({ principal, url, body }: NativeRequest): [string, string] {
  return [principal.organizationId, fingerprintOf('POST', url, body)];
}

function staleHeaders(
  { clock, serverId }: StaleParts,
  request: NativeRequest,
  answer: StaleAnswer,
  { attempts = 0, standings = [] }: FailedRequest,
): string[] {
  const now = clock.now();
  const ageSeconds = Math.max(0, Math.floor((now - answer.keptAt) / 1000));
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

/** A mistake of the caller's or an empty purse is told as it is; an old answer would hide it. */
function isLackOfCapacity({ code, params }: SpillwayError): boolean {
  return (
    code === 'AI_LIMIT_REACHED' ||
    code === 'PROVIDER_UNAVAILABLE' ||
    code === 'NETWORK_TIMEOUT' ||
    (code === 'RATE_LIMITED' && params.scope !== 'organization')
  );
}

type OnWhole = (status: number, headers: Iterable<readonly [string, string]>, body: Buffer) => void;

/** Passes an answer on and gathers it on the way. */
class KeepingReply implements Reply {
  readonly #reply: Reply;
  readonly #onWhole: OnWhole;
  readonly #bytes = new GatheredBytes();
  #status = 0;
  #headers: string[] = [];

  constructor(reply: Reply, onWhole: OnWhole) {
    this.#reply = reply;
    this.#onWhole = onWhole;
  }

  begin(status: number, headers: string[]): void {
    this.#status = status;
    this.#headers = headers;
    this.#reply.begin(status, headers);
  }

  write(chunk: Buffer): boolean {
    this.#bytes.add(chunk);
    return this.#reply.write(chunk);
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.#bytes.add(Buffer.from(chunk));
    this.#reply.end(chunk);
    const body = this.#bytes.take();
    if (body) this.#onWhole(this.#status, headerPairs(this.#headers), body);
  }
}
