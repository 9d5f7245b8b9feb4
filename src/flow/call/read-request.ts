// Reads from the bytes of a request everything that decides its target and bounds its cost. A body that a provider could
// read differently (a name twice, a name in another case, a limit that is not a number) is refused with INVALID_REQUEST.
// Pure.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import { findBareItem } from '../../upstream/json/bare-item.ts';
import { NameTable } from '../../upstream/json/name-table.ts';
import {
  type LimitProblem,
  limitFields,
  listed,
  type RequestKind,
  readLimits,
  STORED,
  type StatedLimits,
} from '../../upstream/json/output-limits.ts';
import { type JsonSpan, peekFields, readBoolean } from '../../upstream/json/peek-fields.ts';
import { peekReferences, type References } from '../../upstream/json/references.ts';
import {
  featureFields,
  type RequestFeatures,
  readFeatures,
} from '../../upstream/json/request-features.ts';
import { invalidField, tooManyFields, unreadableBody } from './request-refusal.ts';

export type StatedRequest = StatedLimits & {
  readonly references: References;
  /** The first field that names an object which the provider stores: a file, a conversation. */
  readonly storedField: string | undefined;
  /** Undefined for a request that costs its tokens at the standard price. */
  readonly features: RequestFeatures | undefined;
  /**
   * The provider counts the call against separate limits: its throttles and headers say nothing about the model's
   * limits.
   */
  readonly isCountedApart: boolean;
};

/** The fields that decisions depend on. */
export function readFields(
  { operation }: RequestKind,
  body: Buffer,
): ReadonlyMap<string, JsonSpan> {
  const peeked = peekFields(body, WANTED[operation], true);
  if (peeked.ok) return peeked.fields;
  throw unreadableBody(peeked, body);
}

export function readStated(
  kind: RequestKind,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): StatedRequest {
  const limits = readLimits(kind, body, fields);
  if ('problem' in limits) throw unreadableLimit(limits);
  refuseOtherModels(body, fields);
  refuseUnaccountable(body, fields);
  refuseLoopEnds(body, fields);
  const references = readReferences(kind, body, fields);
  const features = readFeatures(kind, body, fields, references.hasItemTools);
  if (features && 'problem' in features) {
    const { field, problem } = features;
    throw invalidField(`${field} is refused (${problem})`, field, problem);
  }
  return {
    maxOutputTokens: limits.maxOutputTokens,
    oldMaximum: limits.oldMaximum,
    answers: limits.answers,
    predictedBytes: limits.predictedBytes,
    hasTools: limits.hasTools,
    readsStored: limits.readsStored,
    mayCompact: limits.mayCompact,
    references,
    storedField:
      references.stored ?? (limits.readsStored ? storedFieldIn(body, fields) : undefined),
    features: references.hasAudio ? withAudio(features) : features,
    isCountedApart: isCountedApart(kind, features),
  };
}

function unreadableLimit({ problem: field, isTwice }: LimitProblem): SpillwayError {
  if (isTwice) return invalidField(`${field} occurs twice`, field, 'duplicate_field');
  return invalidField(`${field} is not a count`, field, 'wrong_type');
}

/**
 * Vendors count token-counting calls, and tiers with their own capacity, separately from a model's other calls. A
 * priority call counts against the model's limits.
 */
function isCountedApart({ operation }: RequestKind, features: RequestFeatures | undefined) {
  if (operation === 'count_tokens') return true;
  return features?.tiers.some(({ tier }) => APART_TIER.test(tier)) === true;
}

/** OpenAI, Google and Groq: `flex`; Groq: `performance`; OpenAI: `scale`; Anthropic: `speed: fast`. */
const APART_TIER = /flex|fast|performance|scale/i;

/**
 * Fields by which some providers serve a request with another model than the one it names: that model has another price,
 * and a key's list of models may not contain it.
 */
const OTHER_MODELS = ['models', 'fallbacks', 'preset'] as const;

function refuseOtherModels(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): void {
  for (const name of OTHER_MODELS) {
    if (listed(body, fields.get(name)))
      throw invalidField(`${name} names other models`, name, 'not_supported');
  }
}

/** The provider makes the answer after its response, so its usage is never seen: OpenAI's background, xAI's deferred completions. */
const LATER_ANSWERS = ['background', 'deferred'] as const;

function refuseUnaccountable(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): void {
  for (const name of LATER_ANSWERS)
    if (readFlag(body, fields, name))
      throw invalidField(
        `${name} answers are not served; Prefer: respond-async is`,
        name,
        'not_supported',
      );
}

/** OpenRouter's own conditions for the end of a loop of tools, beside which it ignores `max_tool_calls`. */
const LOOP_ENDS = 'stop_server_tools_when';

function refuseLoopEnds(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): void {
  if (listed(body, fields.get(LOOP_ENDS)))
    throw invalidField(`${LOOP_ENDS} replaces max_tool_calls`, LOOP_ENDS, 'not_supported');
}

function storedFieldIn(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): string | undefined {
  return STORED.find((name) => {
    const span = fields.get(name);
    return span !== undefined && !isNull(body, span);
  });
}

/**
 * A flag that changes the form of the answer. A provider may take `1` or `"true"` for true, and would then answer in a form
 * that the gateway does not expect; null counts as absent.
 */
export function readFlag(
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  name: 'stream' | (typeof LATER_ANSWERS)[number],
): boolean {
  const span = fields.get(name);
  const value = readBoolean(body, span);
  if (value !== undefined || span === undefined || isNull(body, span)) return value === true;
  throw invalidField(`${name} is not a boolean`, name, 'wrong_type');
}

export function isNull(body: Buffer, { start, end }: JsonSpan): boolean {
  return body.toString('latin1', start, end) === 'null';
}

/** Audio costs more than text, so the model needs a price for it. */
function withAudio(features: RequestFeatures | undefined): RequestFeatures {
  const { outputs, ...others } = features ?? NO_FEATURES;
  const audio = { field: 'input_audio', modality: 'audio_input' };
  return { ...others, outputs: [...outputs, audio] };
}

const NO_FEATURES: RequestFeatures = { tiers: [], tools: [], outputs: [] };

export function otherCase(field: string): SpillwayError {
  return invalidField(`${field} is known in another case only`, field, 'not_supported');
}

function readReferences(
  { format }: RequestKind,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): References {
  const references = peekReferences(format, body);
  if (references.hasTooManyNames) throw tooManyFields();
  if (references.problem !== undefined) throw otherCase(references.problem);
  const input = references.hasItemId ? fields.get('input') : undefined;
  const bare = input && findBareItem(body, input);
  if (bare === undefined) return references;
  return { ...references, isUnbounded: true, hasMedia: true, stored: references.stored ?? bare };
}

const WANTED: Readonly<Record<RequestKind['operation'], NameTable>> = {
  messages: wantedOf('messages'),
  chat: wantedOf('chat', 'stream_options', 'deferred', 'messages'),
  responses: wantedOf('responses', 'background', 'input'),
  compact: wantedOf('compact', 'input'),
  generate: wantedOf('generate'),
  embeddings: wantedOf('embeddings'),
  count_tokens: wantedOf('count_tokens', 'input'),
};

function wantedOf(operation: RequestKind['operation'], ...others: readonly string[]): NameTable {
  const own = ['model', 'stream', LOOP_ENDS, ...OTHER_MODELS];
  return new NameTable([...own, ...limitFields(operation), ...featureFields(operation), ...others]);
}
