// Turns a request with `Prefer: respond-async` into a job that makes the same call; the caller gets the job's location.
// The request is validated as if it were served now, so that a mistake is answered immediately instead of failing a job.

import type { IncomingHttpHeaders } from 'node:http';
import { pickLocale, pickTimeZone } from '../../errors/locale.ts';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { SubmitJob } from '../../jobs/intake/submit-job.ts';
import type { Job } from '../../jobs/model/job.ts';
import type { JobEstimate } from '../../jobs/model/job-estimate.ts';
import { toReceipt } from '../../jobs/model/job-view.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import { CALLERS_HEADERS } from '../../upstream/attempt/headers.ts';
import type { CallPlan } from '../call/plan-call.ts';
import { unreadableBody } from '../call/request-refusal.ts';
import type { AdmitJob } from '../jobs/admit-job.ts';
import { namingHeaders, servedHeaders } from './answer-headers.ts';
import { type NativeRequest, readLabel } from './native-request.ts';
import type { AnswerFailure, Reply, ServedRequest } from './reply.ts';

export type QueueParts = {
  readonly admit: AdmitJob;
  readonly submit: SubmitJob;
  readonly estimate: (job: Job) => Promise<JobEstimate>;
  readonly serverId: string;
};

/** RFC 7240: preferences are separated by commas, their parameters by semicolons. */
export function prefersAsync({ prefer }: IncomingHttpHeaders): boolean {
  if (prefer === undefined) return false;
  const values = Array.isArray(prefer) ? prefer : [prefer];
  return values.some((value) => /(^|,)\s*respond-async\s*($|[,;])/i.test(value));
}

export function queueCall(
  parts: QueueParts,
  request: NativeRequest,
  plan: CallPlan,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  submit(parts, request, plan, reply).catch((thrown: unknown) =>
    answerFailure({ error: toSpillwayError(thrown), isBegun: false, wasCalled: false }),
  );
  // A submitted job runs even if its caller disconnects.
  return { drained() {}, gone() {} };
}

async function submit(
  parts: QueueParts,
  request: NativeRequest,
  plan: CallPlan,
  reply: Reply,
): Promise<void> {
  const { principal, id } = request;
  if (!principal.scopes.has('jobs'))
    throw new SpillwayError('FORBIDDEN', 'the key lacks the scope jobs');
  // Planning the call has read the body.
  await turnAfter(request.body.length);
  const message = messageOf(request, plan);
  await turnAfter(request.body.length);
  const { job } = await parts.admit({ principal, requestId: id, message }, () =>
    parts.submit(message, submitterOf(request)),
  );
  const receipt = JSON.stringify(toReceipt(job, await parts.estimate(job)));
  reply.begin(202, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(receipt)),
    'location',
    `/v1/jobs/${encodeURIComponent(job.publicId)}`,
    'preference-applied',
    'respond-async',
    ...namingHeaders(request),
    ...servedHeaders(parts.serverId, 0),
  ]);
  reply.end(receipt);
}

function messageOf({ body, route }: NativeRequest, { requestedModel }: CallPlan) {
  return { model: requestedModel, format: route.format, request: parsed(body) };
}

/** Planning the call reads only the top level of the body; this finds nested errors. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadableBody({ ok: false, problem: 'not_json' }, body);
  }
}

function submitterOf(request: NativeRequest): Parameters<SubmitJob>[1] {
  const { principal, id, headers } = request;
  const traceParent = headers['traceparent'];
  return {
    organizationId: principal.organizationId,
    keyId: principal.keyId,
    userId: readLabel(headers['x-user-id']),
    category: readLabel(headers['x-category']),
    requestId: id,
    locale: pickLocale(headers['accept-language'], principal.locale),
    timeZone: pickTimeZone(headers['x-time-zone'], principal.timeZone),
    traceParent: typeof traceParent === 'string' ? traceParent.slice(0, 100) : undefined,
    native: { operation: pathOf(request), headers: keptHeaders(headers) },
  };
}

/** The endpoint's path and query without a credential; the worker matches it to the route again. */
function pathOf({ route }: NativeRequest): string {
  return route.endpoint.replace('{model}', encodeURIComponent(route.pathModel ?? '')) + route.query;
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of CALLERS_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}
