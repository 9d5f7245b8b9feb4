// Plans a call from the caller's request: the targets, streaming or not, the output limit, and the bytes to send to each
// target. Pure. Only the fields needed here are read from the body; its bytes pass through unchanged unless the model has
// another name at the target.

import type { IncomingHttpHeaders } from 'node:http';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { WorstCaseRequest } from '../../metering/prices/worst-case.ts';
import type { ContextTokensOf } from '../../routing/context-window.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { Target } from '../../routing/target.ts';
import type { AttemptCall } from '../../upstream/attempt/attempt.ts';
import { requestHeaders } from '../../upstream/attempt/headers.ts';
import { renameModel, renameNestedModels } from '../../upstream/attempt/rename-model.ts';
import { LIMIT_FIELDS, readLimits, type StatedLimits } from '../../upstream/json/output-limits.ts';
import {
  type JsonSpan,
  peekFields,
  readBoolean,
  readString,
} from '../../upstream/json/peek-fields.ts';
import { peekReferences, type References } from '../../upstream/json/references.ts';
import {
  type Charge,
  chargeOf,
  type NativeRoute,
  streamsByBody,
} from '../../upstream/native-route.ts';
import { invalidField, modelRefusal, unreadableBody } from './request-refusal.ts';

export type PlanParts = {
  readonly resolveTargets: ResolveTargets;
  readonly isReasoning: (model: string) => boolean;
};

export type CallPlan = {
  readonly requestedModel: string;
  /** In the order in which they are tried; at least one. */
  readonly targets: readonly Target[];
  readonly isStream: boolean;
  readonly body: Buffer;
  readonly stated: StatedLimits;
  /** The tokens that the provider charges for. */
  readonly charge: Charge;
  /** The upstream call for a target. */
  callTo(target: Target, deadlineAtMs?: number): AttemptCall;
};

export function planCall(
  route: NativeRoute,
  incoming: IncomingHttpHeaders,
  body: Buffer,
  parts: PlanParts,
): CallPlan {
  const fields = readFields(route.format, body);
  const span = fields.get('model');
  const model = route.pathModel ?? readString(body, span);
  if (model === undefined || model === '')
    throw invalidField('the request names no model', 'model', 'missing');
  if (readBoolean(body, fields.get('background')) === true) throw unaccountable();
  const targets = targetsOf(parts.resolveTargets, model, route.format);
  const isAsked = readBoolean(body, fields.get('stream')) === true;
  const isStream = route.isStreamPath || (isAsked && streamsByBody(route.operation));
  return {
    requestedModel: model,
    targets,
    isStream,
    body,
    stated: readStated(route.format, body, fields),
    charge: chargeOf(route.operation),
    callTo: (target, deadlineAtMs) => ({
      target,
      deadlineAtMs,
      isStream,
      isReasoning: parts.isReasoning(target.model),
      path: target.basePath + route.upstreamPath(target.model) + route.query,
      headers: requestHeaders(target.format, target.apiKey, incoming),
      body: target.model === model ? body : renamed(route, body, span, model, target.model),
    }),
  };
}

/** The fields that decisions depend on. Throws INVALID_REQUEST. */
export function readFields(format: ProviderFormat, body: Buffer): ReadonlyMap<string, JsonSpan> {
  const peeked = peekFields(body, WANTED_FIELDS[format]);
  if (peeked.ok) return peeked.fields;
  throw unreadableBody(peeked, body);
}

export function readStated(
  format: ProviderFormat,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): StatedLimits {
  const stated = readLimits(format, body, fields);
  if (stated.ok) return stated;
  throw invalidField(`${stated.field} is not a count`, stated.field, 'wrong_type');
}

/** The targets of a model name. Throws INVALID_REQUEST when no provider serves it. */
export function targetsOf(
  resolveTargets: ResolveTargets,
  model: string,
  format: ProviderFormat | undefined,
): readonly Target[] {
  const resolution = resolveTargets(model, format);
  if (resolution.outcome === 'targets') return resolution.targets;
  throw modelRefusal(resolution, model);
}

/** The quantities that bound the cost of the plan at one target. */
export function worstCaseOf(
  { body, stated, charge }: CallPlan,
  { model, format }: Target,
  contextTokens: ContextTokensOf,
): WorstCaseRequest {
  if (charge === 'nothing') return { model, inputBytes: 0, maxOutputTokens: 0 };
  const { isUnbounded, images } = referencesOf(stated, format, body);
  return {
    model,
    inputBytes: body.length,
    referredTokens: isUnbounded ? contextTokens(model) : images * IMAGE_TOKENS,
    maxOutputTokens: charge === 'input' ? 0 : stated.maxOutputTokens,
    answers: stated.answers,
    hasTools: stated.hasTools,
    mayCacheForAnHour: stated.mayCacheForAnHour,
  };
}

function referencesOf(stated: StatedLimits, format: ProviderFormat, body: Buffer): References {
  if (stated.readsStored) return UNBOUNDED;
  return stated.hasTypedParts ? peekReferences(format, body) : NOTHING_REFERRED;
}

const UNBOUNDED: References = Object.freeze({ isUnbounded: true, images: 0 });
const NOTHING_REFERRED: References = Object.freeze({ isUnbounded: false, images: 0 });

/** An upper bound of the tokens that providers count for one image. */
const IMAGE_TOKENS = 6000;

const WANTED_FIELDS: Readonly<Record<ProviderFormat, readonly string[]>> = {
  anthropic: ['model', 'stream', ...LIMIT_FIELDS.anthropic],
  openai: ['model', 'stream', 'background', ...LIMIT_FIELDS.openai],
  gemini: ['model', 'stream', ...LIMIT_FIELDS.gemini],
};

function renamed(
  { pathModel, operation }: NativeRoute,
  body: Buffer,
  span: JsonSpan | undefined,
  from: string,
  to: string,
): Buffer {
  if (pathModel === undefined) return span ? renameModel(body, span, to) : body;
  // Gemini's generation has the model in the path only.
  return operation === 'generate' ? body : renameNestedModels(body, from, to);
}

/** A background response continues at the provider after its answer, so its usage cannot be accounted. */
function unaccountable(): SpillwayError {
  const message = 'background responses are not served; Prefer: respond-async is';
  return invalidField(message, 'background', 'not_supported');
}
