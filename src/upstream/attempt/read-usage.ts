// Reads the usage that a unary response reports, from its bytes: Messages, Chat Completions, Responses, Embeddings,
// generateContent. Pure. Providers write the usage near the end, so the search starts there and skips the rest, which may
// be megabytes of vectors. A response without usage (counting tokens, a malformed body) gives undefined, and the meter
// estimates.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import { NameTable } from '../json/name-table.ts';
import { type JsonSpan, peekFields, readObject, readString } from '../json/peek-fields.ts';
import {
  BACKSLASH,
  bytesEqual,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from '../json/scan.ts';
import { JsonKeys } from '../json/walk-keys.ts';
import { addSearches, listsQueries } from '../streams/search-queries.ts';
import { countToolCalls } from '../streams/tool-calls.ts';
import {
  addCounts,
  emptyCounts,
  hasNoOutput,
  type RawCounts,
  usageOf,
} from '../streams/usage-counts.ts';
import {
  addTier,
  addToolUsage,
  raiseToolUses,
  showInlineData,
  showToolUse,
} from '../streams/usage-extras.ts';
import { hasContent } from './answer-content.ts';

export function readUsage(format: ProviderFormat, body: Buffer): MeteredUsage | undefined {
  const usage = readObject(body, findUsage(body, USAGE_KEYS[format]));
  const counts = emptyCounts();
  if (usage) addCounts(format, counts, usage);
  else if (format === 'anthropic') addShownUses(counts, body);
  if (format === 'openai') addOpenaiExtras(counts, body);
  else if (format === 'gemini') addGeminiExtras(counts, body);
  return usageOf(format, counts, hasNoOutput(counts) && hasContent(body));
}

/** Blocks in which Anthropic used its own tools. */
function addShownUses(counts: RawCounts, body: Buffer): void {
  const keys = new JsonKeys();
  let isUse = false;
  keys.start(body, 0, body.length);
  while (keys.next()) {
    if (keys.depth !== BLOCK_DEPTH) continue;
    if (keys.isKey('type')) isUse = keys.isTextValue('server_tool_use');
    else if (isUse && keys.isKey('name')) showToolUse(counts, keys.textValue() ?? '');
  }
}

/** The depth of the keys of `content[i]`. */
const BLOCK_DEPTH = 3;

/** The tier and the calls of the provider's tools are not in OpenAI's usage, but beside it. */
function addOpenaiExtras(counts: RawCounts, body: Buffer): void {
  const at = body.lastIndexOf(TIER);
  if (at >= 0) addTier(counts, 'service_tier', readTier(body, at));
  for (const [kind, uses] of countToolCalls(body, OUTPUT_ITEM_DEPTH))
    raiseToolUses(counts, kind, uses);
  if (!body.includes(TOOL_USAGE)) return;
  const peeked = peekFields(body, TOOL_USAGE_NAME);
  const usage = peeked.ok ? readObject(body, peeked.fields.get('tool_usage')) : undefined;
  if (usage) addToolUsage(counts, usage);
}

/** Gemini's usage need not contain the answer's searches and images. */
function addGeminiExtras(counts: RawCounts, body: Buffer): void {
  if (listsQueries(body)) addSearches(counts, new Set(), body, 0, body.length);
  if (counts.hasOutputDetails || !body.includes(INLINE_DATA)) return;
  const keys = new JsonKeys();
  keys.start(body, 0, body.length);
  while (keys.next()) {
    const span = keys.isKey('inlineData') ? keys.takeValue() : undefined;
    if (span) showInlineData(counts, body.subarray(span.start, span.end));
  }
}

/** In the model's text the quotes are escaped. */
const INLINE_DATA = Buffer.from('"inlineData"');
const TIER = Buffer.from('"service_tier"');
const TOOL_USAGE = Buffer.from('"tool_usage"');
const TOOL_USAGE_NAME = new NameTable(['tool_usage']);
/** The depth of the keys of `output[i]`. */
const OUTPUT_ITEM_DEPTH = 3;

/** The response's own field. A response may repeat metadata of its request, which can have a field of this name, too. */
function readTier(body: Buffer, at: number): string | undefined {
  const start = skipSpace(body, skipSpace(body, at + TIER.length) + 1);
  const end = start + DEFAULT_TIER.length;
  if (bytesEqual(body, start, end, DEFAULT_TIER) && closesOnce(body, end)) return 'default';
  const peeked = peekFields(body, TIER_NAME);
  return peeked.ok ? readString(body, peeked.fields.get('service_tier')) : undefined;
}

const TIER_NAME = new NameTable(['service_tier']);
const DEFAULT_TIER = '"default"';

/** The model that served the request, by the provider's name. */
export function readModel(format: ProviderFormat, body: Buffer): string | undefined {
  const keys = new JsonKeys();
  const name = format === 'gemini' ? 'modelVersion' : 'model';
  keys.start(body, 0, body.length);
  while (keys.next()) {
    if (keys.depth === 1 && keys.isKey(name))
      return readString(body, { start: keys.valueStart, end: keys.valueEnd + 1 });
  }
  return undefined;
}

type UsageKey = { readonly name: string; readonly names: NameTable; readonly quoted: Buffer };

function usageKey(name: string): UsageKey {
  return { name, names: new NameTable([name]), quoted: Buffer.from(`"${name}"`) };
}

const USAGE_KEYS: Record<ProviderFormat, UsageKey> = {
  anthropic: usageKey('usage'),
  openai: usageKey('usage'),
  gemini: usageKey('usageMetadata'),
};

/** When the last such key may belong to a nested object, the whole response is scanned. */
function findUsage(body: Buffer, key: UsageKey): JsonSpan | undefined {
  const at = body.lastIndexOf(key.quoted);
  if (at < 0) return undefined;
  const colon = skipSpace(body, at + key.quoted.length);
  if (body[colon] === COLON && body[at - 1] !== BACKSLASH) {
    const start = skipSpace(body, colon + 1);
    const end = endOfValue(body, start);
    if (end > 0 && closesOnce(body, end)) return { start, end };
  }
  const peeked = peekFields(body, key.names);
  return peeked.ok ? peeked.fields.get(key.name) : undefined;
}

/** True when exactly one bracket is open at `from`: the value before it then belongs to the outermost object. */
function closesOnce(body: Buffer, from: number): boolean {
  let depth = 1;
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
      if (at < 0) return false;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return byte === CLOSE_BRACE && skipSpace(body, at + 1) === body.length;
    }
  }
  return false;
}
