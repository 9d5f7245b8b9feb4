// Plans the call of a job at the provider and model that the dispatcher chose. A request queued from an AI endpoint goes to
// that endpoint's path with the same body; a plain prompt becomes a request in the provider's format. A request for a
// stream is sent as one: the result is the same, and the owner can read its output as it grows. A request of another format
// than the target's is translated, and so is its result.

import type { JobMessage } from '../../jobs/model/job-message.ts';
import type { JobRun } from '../../jobs/ports/job-runner.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Target } from '../../routing/target.ts';
import { asksForLongContext } from '../../upstream/attempt/beta-values.ts';
import { requestHeaders } from '../../upstream/attempt/headers.ts';
import { promptRequest } from '../../upstream/attempt/prompt-request.ts';
import { knowsUsageOption } from '../../upstream/chat-fields.ts';
import { editBody } from '../../upstream/json/edit-body.ts';
import {
  chargeOf,
  matchNativeRoute,
  type NativeOperation,
  type NativeRoute,
  nativePath,
  streamsByBody,
} from '../../upstream/native-route.ts';
import type { CallParts } from '../call/call-order.ts';
import { type CallPlan, type PlanParts, planCall, queryOf, targetsOf } from '../call/plan-call.ts';
import { readFields, readStated } from '../call/read-request.ts';
import { canLimitTools, toolLimitEdits } from '../call/tools/limit-tools.ts';
import { isForeign, isTranslatable } from '../translate/call-translation.ts';

const DEFAULT_MAX_OUTPUT_TOKENS = 4096;

export type JobCallParts = CallParts & PlanParts;

export async function planJob(
  parts: PlanParts,
  { job, message, images = message.images }: Pick<JobRun, 'job' | 'message' | 'images'>,
  account: string | undefined,
): Promise<CallPlan> {
  const name = `${job.provider}/${job.model}`;
  const resolved = targetsOf(parts.resolveTargets, name, undefined);
  const targets = accountFirst(resolved.targets, account);
  const [target] = targets;
  if (!target) throw new Error('a resolved model has no target');
  const given = promptAsChat(images ? { ...message, images } : message, target);
  const foreign = foreignRoute(parts, given, target);
  if (foreign) return planTranslated(parts, given, foreign, { name, account });
  const endpoint = endpointOf(parts, given, target);
  const { path, isStream, operation } = endpoint;
  const body = Buffer.from(JSON.stringify(requestOf(given, target, endpoint)));
  await turnAfter(body.length);
  const incoming = message.native?.headers ?? {};
  const kind = { format: target.format, operation };
  const fields = readFields(kind, body);
  const stated = readStated(kind, body, fields);
  const route = { operation, pathModel: undefined };
  return {
    requestedModel: name,
    targets,
    isStream,
    body,
    stated,
    operation,
    charge: chargeOf(operation),
    hasLongContext: asksForLongContext(incoming['anthropic-beta']),
    canLimitTools: canLimitTools(route, body, stated, fields),
    callTo: (each, deadlineAtMs, maxToolCalls) => ({
      deadlineAtMs,
      target: each,
      isStream,
      isReasoning: parts.isReasoning(each.model),
      isCountedApart: stated.isCountedApart,
      path: each.basePath + path,
      headers: requestHeaders(each.format, each.apiKey, incoming, parts.alsoAllowed?.betas),
      body: editBody(body, toolLimitEdits(route, body, stated, fields, maxToolCalls)),
    }),
  };
}

/** A prompt is written as Chat Completions; a provider that has only the Responses API gets its translation. */
function promptAsChat(message: JobMessage, { format, model, onlyEndpoint }: Target): JobMessage {
  if (message.request || onlyEndpoint !== 'responses') return message;
  return { ...message, format, request: promptOf(message, format, model) };
}

/** The endpoint that the request was written for, if its format is not the target's; undefined if it can be sent as it is. */
function foreignRoute(
  { translation }: PlanParts,
  { request, native, format }: JobMessage,
  target: Target,
): NativeRoute | undefined {
  if (!request || !translation) return undefined;
  const written = native?.operation ?? (format && WRITTEN_FOR[format]);
  const route = written === undefined ? undefined : matchNativeRoute(written);
  return route && isForeign(route, target) && isTranslatable(route) ? route : undefined;
}

const WRITTEN_FOR: Readonly<Record<ProviderFormat, string>> = {
  anthropic: '/v1/messages',
  openai: '/v1/chat/completions',
  gemini: '/v1beta/models/any:generateContent',
};

/** The chain of the job's alias led to a provider of another format: the call is made as at an AI endpoint. */
async function planTranslated(
  parts: PlanParts,
  { request, native }: JobMessage,
  route: NativeRoute,
  { name, account }: { readonly name: string; readonly account: string | undefined },
): Promise<CallPlan> {
  const isInPath = route.pathModel !== undefined;
  const body = Buffer.from(JSON.stringify(isInPath ? request : { ...request, model: name }));
  await turnAfter(body.length);
  const named = isInPath ? { ...route, pathModel: name } : route;
  const plan = planCall(named, native?.headers ?? {}, body, parts);
  return { ...plan, targets: accountFirst(plan.targets, account) };
}

/** The account of the run's permit comes first. */
function accountFirst(targets: readonly Target[], account: string | undefined): readonly Target[] {
  if (account === undefined || targets[0]?.account === account) return targets;
  const [first, others] = [
    targets.filter((target) => target.account === account),
    targets.filter((target) => target.account !== account),
  ];
  return [...first, ...others];
}

type Endpoint = {
  readonly path: string;
  readonly operation: NativeOperation;
  readonly isStream: boolean;
};

function endpointOf(
  parts: PlanParts,
  { native, request }: JobMessage,
  { format, model }: Target,
): Endpoint {
  const isAsked = request?.['stream'] === true;
  const route = native && matchNativeRoute(native.operation);
  if (!route) {
    const path = nativePath(format, model, isAsked);
    return { path, operation: GENERATION[format], isStream: isAsked };
  }
  const { operation, isStreamPath } = route;
  return {
    path: route.upstreamPath(model) + queryOf(route, parts),
    operation,
    isStream: isStreamPath || (isAsked && streamsByBody(operation)),
  };
}

const GENERATION: Readonly<Record<ProviderFormat, NativeOperation>> = {
  anthropic: 'messages',
  openai: 'chat',
  gemini: 'generate',
};

function requestOf(
  message: JobMessage,
  target: Target,
  { operation, isStream }: Endpoint,
): Record<string, unknown> {
  const { format, model } = target;
  if (!message.request) return promptOf(message, format, model);
  const { stream: _stream, stream_options: options, model: _model, ...rest } = message.request;
  // Gemini has the model and the streaming in the path.
  if (format === 'gemini') return rest;
  if (!isStream) return { ...rest, model };
  return { ...rest, model, stream: true, ...streamOptions(operation, options, target) };
}

function promptOf(
  { prompt, images }: JobMessage,
  format: ProviderFormat,
  model: string,
): Record<string, unknown> {
  return promptRequest(format, model, {
    text: prompt ?? '',
    images: images ?? [],
    maxOutputTokens: DEFAULT_MAX_OUTPUT_TOKENS,
  });
}

/** Chat Completions report a stream's usage only on request. */
function streamOptions(
  operation: NativeOperation,
  options: unknown,
  target: Target,
): Record<string, unknown> {
  const given = typeof options === 'object' ? options : undefined;
  if (operation === 'chat' && knowsUsageOption(target))
    return { stream_options: { ...given, include_usage: true } };
  return given ? { stream_options: given } : {};
}
