// From a job to the call that runs it, at the provider and model that the dispatcher chose. What was queued from an AI
// endpoint goes to that endpoint's path with the same body; a plain prompt becomes a request in the provider's format.

import type { JobMessage } from '../jobs/job-message.ts';
import type { JobRun } from '../jobs/job-runner.ts';
import type { Target } from '../routing/target.ts';
import { type Charge, chargeOf, matchNativeRoute, nativePath } from '../upstream/native-route.ts';
import { promptRequest } from '../upstream/prompt-request.ts';
import { requestHeaders } from '../upstream/request-headers.ts';
import type { CallParts } from './call-order.ts';
import type { FetchImages } from './fetch-images.ts';
import { type CallPlan, readFields, readStated, targetsOf } from './plan-call.ts';

const UNSTATED_OUTPUT_TOKENS = 4096;

export type JobCallParts = CallParts & {
  /** Makes data of the images that a job names by address. */
  readonly fetchImages: FetchImages;
};

export async function planJob(
  parts: JobCallParts,
  { job, message }: JobRun,
  account: string | undefined,
  signal: AbortSignal,
): Promise<CallPlan> {
  const name = `${job.provider}/${job.model}`;
  const targets = accountFirst(targetsOf(parts.resolveTargets, name, undefined), account);
  const [target] = targets;
  if (!target) throw new Error('a name that means targets means at least one');
  const { path, charge } = endpointOf(message, target);
  const images = await parts.fetchImages(message.images ?? [], signal);
  const body = Buffer.from(JSON.stringify(requestOf({ ...message, images }, target)));
  const incoming = message.native?.headers ?? {};
  return {
    requestedModel: name,
    targets,
    isStream: false,
    body,
    stated: readStated(target.format, body, readFields(target.format, body)),
    charge,
    callTo: (each) => ({
      target: each,
      isStream: false,
      isReasoning: parts.isReasoning(each.model),
      path: each.basePath + path,
      headers: requestHeaders(each.format, each.apiKey, incoming),
      body,
    }),
  };
}

/** The account that the run's permit is for is asked first. */
function accountFirst(targets: readonly Target[], account: string | undefined): readonly Target[] {
  if (account === undefined || targets[0]?.account === account) return targets;
  const [first, others] = [
    targets.filter((target) => target.account === account),
    targets.filter((target) => target.account !== account),
  ];
  return [...first, ...others];
}

function endpointOf(
  { native }: JobMessage,
  { format, model }: Target,
): { readonly path: string; readonly charge: Charge } {
  const route = native && matchNativeRoute(native.operation);
  if (!route) return { path: nativePath(format, model), charge: 'input_and_output' };
  // A job is answered whole: the streaming form of Gemini's path is left for the plain one.
  const path = route.isStreamPath
    ? nativePath(format, model)
    : route.upstreamPath(model) + route.query;
  return { path, charge: chargeOf(route.operation) };
}

function requestOf(message: JobMessage, { format, model }: Target): Record<string, unknown> {
  if (!message.request) {
    return promptRequest(format, model, {
      text: message.prompt ?? '',
      images: message.images ?? [],
      maxOutputTokens: UNSTATED_OUTPUT_TOKENS,
    });
  }
  const { stream: _stream, stream_options: _options, model: _model, ...rest } = message.request;
  // Gemini has the model in the path.
  return format === 'gemini' ? rest : { ...rest, model };
}
