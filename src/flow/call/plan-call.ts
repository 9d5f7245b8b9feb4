// Plans a call from the caller's request: the targets, streaming or not, the output limit, and the bytes to send to each
// target. Pure. Only the fields needed here are read from the body; its bytes pass through unchanged unless the model has
// another name at the target.

import type { IncomingHttpHeaders } from 'node:http';
import { isModelNameTooLong, MAX_MODEL_NAME_BYTES } from '../../kernel/model-name.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Resolution, ResolveTargets } from '../../routing/resolve-targets.ts';
import type { Target } from '../../routing/target.ts';
import { withoutForeignThoughts } from '../../translation/foreign-thoughts.ts';
import type { AttemptCall } from '../../upstream/attempt/attempt-call.ts';
import { asksForLongContext } from '../../upstream/attempt/beta-values.ts';
import { requestHeaders } from '../../upstream/attempt/headers.ts';
import { renameModelEdit, renameNestedModels } from '../../upstream/attempt/rename-model.ts';
import { knowsUsageOption } from '../../upstream/chat-fields.ts';
import { type BodyEdit, editBody } from '../../upstream/json/edit-body.ts';
import { findOtherModel } from '../../upstream/json/nested-models.ts';
import { type JsonSpan, readString } from '../../upstream/json/peek-fields.ts';
import { askForStreamUsage } from '../../upstream/json/stream-usage.ts';
import {
  type Charge,
  chargeOf,
  type NativeOperation,
  type NativeRoute,
  nativePath,
  streamsByBody,
} from '../../upstream/native-route.ts';
import { checkQuery } from '../../upstream/query-parameters.ts';
import {
  CallTranslation,
  dialectOfRoute,
  endpointOf,
  isForeign,
  isTranslatable,
  type TranslatedCall,
} from '../translate/call-translation.ts';
import {
  isNull,
  otherCase,
  readFields,
  readFlag,
  readStated,
  type StatedRequest,
} from './read-request.ts';
import {
  invalidField,
  modelNameTooLong,
  modelRefusal,
  structureRefusal,
} from './request-refusal.ts';
import { canLimitTools, toolLimitEdits } from './tools/limit-tools.ts';

export type PlanParts = {
  readonly resolveTargets: ResolveTargets;
  readonly isReasoning: (model: string) => boolean;
  /** What the operator allows in addition to the built-in lists. */
  readonly alsoAllowed?: AlsoAllowed;
  /** Absent: a request is served by targets of its own format only. */
  readonly translation?:
    | Pick<TranslatedCall, 'maxOutputTokens' | 'now' | 'newAnswerId'>
    | undefined;
};

export type AlsoAllowed = {
  readonly queryParameters: ReadonlySet<string>;
  readonly betas: ReadonlySet<string>;
};

export type CallPlan = {
  readonly requestedModel: string;
  /** In the order in which they are tried; at least one. */
  readonly targets: readonly Target[];
  readonly isStream: boolean;
  readonly body: Buffer;
  readonly stated: StatedRequest;
  /** Undefined if every target has the caller's format. */
  readonly translation?: CallTranslation | undefined;
  readonly operation: NativeOperation;
  /** The tokens that the provider charges for. */
  readonly charge: Charge;
  /** The header of the request asks for a context window of a million tokens. */
  readonly hasLongContext?: boolean;
  /** Whether `callTo` can bound the uses of the provider's tools; false if the request bounds them itself. */
  readonly canLimitTools: boolean;
  /** The upstream call for a target; `maxToolCalls` bounds the uses of the provider's tools. */
  callTo(target: Target, deadlineAtMs?: number, maxToolCalls?: number): AttemptCall;
};

export function planCall(
  route: NativeRoute,
  incoming: IncomingHttpHeaders,
  body: Buffer,
  parts: PlanParts,
): CallPlan {
  const query = queryOf(route, parts);
  const refusal = structureRefusal(body);
  if (refusal) throw refusal;
  const own = ownBody(route, body, parts);
  const fields = readFields(route, own);
  const span = fields.get('model');
  const model = route.pathModel ?? readModel(own, span);
  if (model === undefined || model === '')
    throw invalidField('the request names no model', 'model', 'missing');
  if (route.operation === 'embeddings' && route.pathModel !== undefined)
    refuseOtherModel(own, route.pathModel);
  const isAsked = readFlag(own, fields, 'stream');
  const { translation: terms } = parts;
  const format = terms && isTranslatable(route) ? undefined : route.format;
  const { targets, isLenient } = targetsOf(parts.resolveTargets, model, format);
  const isStream = route.isStreamPath || (isAsked && streamsByBody(route.operation));
  const usageEdit =
    isStream && route.operation === 'chat'
      ? streamUsageEdit(own, fields.get('stream_options'))
      : undefined;
  const includesUsage = usageEdit === undefined;
  const translation =
    terms && targets.some((target) => isForeign(route, target))
      ? new CallTranslation({
          route,
          body,
          requestedModel: model,
          isStream,
          includesUsage,
          mode: isLenient ? 'lenient' : 'strict',
          ...terms,
        })
      : undefined;
  const stated = readStated(route, own, fields);
  return {
    requestedModel: model,
    targets,
    isStream,
    body,
    stated,
    translation,
    operation: route.operation,
    charge: chargeOf(route.operation),
    hasLongContext: asksForLongContext(incoming['anthropic-beta']),
    canLimitTools: canLimitTools(route, own, stated, fields),
    callTo: (target, deadlineAtMs, maxToolCalls) => ({
      target,
      deadlineAtMs,
      isStream,
      isReasoning: parts.isReasoning(target.model),
      isCountedApart: stated.isCountedApart,
      path: pathOf(route, target, isStream, query),
      headers: requestHeaders(target.format, target.apiKey, incoming, parts.alsoAllowed?.betas),
      body:
        translation?.bodyFor(target) ??
        sentBody(
          route,
          own,
          { span, from: model, to: target.model },
          usageEdit && knowsUsageOption(target)
            ? [usageEdit]
            : toolLimitEdits(route, own, stated, fields, maxToolCalls),
        ),
      removesUsageEvent:
        usageEdit !== undefined && knowsUsageOption(target) && !isForeign(route, target),
    }),
  };
}

/** The body for targets of the caller's format. */
function ownBody(route: NativeRoute, body: Buffer, { translation }: PlanParts): Buffer {
  const dialect = translation && dialectOfRoute(route);
  return dialect ? withoutForeignThoughts(body, dialect) : body;
}

function pathOf(route: NativeRoute, target: Target, isStream: boolean, query: string): string {
  const { basePath, format, model } = target;
  if (!isForeign(route, target)) return basePath + route.upstreamPath(model) + query;
  return basePath + nativePath(format, model, isStream, endpointOf(target));
}

function refuseOtherModel(body: Buffer, pathModel: string): void {
  const field = findOtherModel(body, pathModel);
  if (field !== undefined)
    throw invalidField(`${field} names another model than the path`, field, 'not_supported');
}

/** A name that is too long is refused as bytes: decoding it would copy up to a whole body. */
function readModel(body: Buffer, span: JsonSpan | undefined): string | undefined {
  if (span && span.end - span.start > MAX_ENCODED_MODEL_BYTES) throw modelNameTooLong();
  const model = readString(body, span);
  if (span && model === undefined && !isNull(body, span))
    throw invalidField('the name of the model is not a text', 'model', 'wrong_type');
  if (model !== undefined && isModelNameTooLong(model)) throw modelNameTooLong();
  return model;
}

/** Every byte as an escape such as \u0041, and the quotes. */
const MAX_ENCODED_MODEL_BYTES = 6 * MAX_MODEL_NAME_BYTES + 2;

/** The query to send. Throws INVALID_REQUEST for a parameter that may not pass. */
export function queryOf(route: NativeRoute, { alsoAllowed }: PlanParts): string {
  const checked = checkQuery(route, alsoAllowed?.queryParameters ?? NO_PARAMETERS);
  if ('query' in checked) return checked.query;
  const { refused } = checked;
  throw invalidField(`the query parameter ${refused} is not forwarded`, refused, 'not_supported');
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

/** The targets of a model name. Throws INVALID_REQUEST when no provider serves it. */
export function targetsOf(
  resolveTargets: ResolveTargets,
  model: string,
  format: ProviderFormat | undefined,
): Extract<Resolution, { outcome: 'targets' }> {
  const resolution = resolveTargets(model, format);
  if (resolution.outcome === 'targets') return resolution;
  throw modelRefusal(resolution, model);
}

/** The edit that asks for a stream's usage; undefined when the caller's request asks for it. */
function streamUsageEdit(body: Buffer, span: JsonSpan | undefined): BodyEdit | undefined {
  const asking = askForStreamUsage(body, span);
  if (asking.kind === 'edit') return asking.edit;
  if (asking.kind === 'asked') return undefined;
  const field = 'stream_options';
  if (asking.problem === 'other_case') throw otherCase(field);
  const problem = asking.problem === 'duplicate_field' ? 'duplicate_field' : 'wrong_type';
  throw invalidField(`${field} cannot be read (${asking.problem})`, field, problem);
}

type Renaming = { readonly span: JsonSpan | undefined; readonly from: string; readonly to: string };

/** The caller's bytes, but for the model's name at the target and the edits of a stream's usage or of the uses of tools. */
function sentBody(
  { pathModel, operation }: NativeRoute,
  body: Buffer,
  { span, from, to }: Renaming,
  edits: readonly BodyEdit[],
): Buffer {
  if (from === to) return editBody(body, edits);
  if (pathModel === undefined)
    return editBody(body, span ? [...edits, renameModelEdit(span, to)] : edits);
  // Gemini's generation has the model in the path only.
  return operation === 'generate' ? body : renameNestedModels(body, from, to);
}
