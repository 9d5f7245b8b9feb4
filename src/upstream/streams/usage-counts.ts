// Normalises a provider's usage object. The formats disagree on what a count includes: Anthropic's input excludes cached
// tokens, OpenAI's and Gemini's includes them; reasoning is part of OpenAI's output and comes on top of Gemini's. Raw
// counts are collected first and normalised at the end, because a stream may report them in several events, each
// cumulative: the largest value of each is the final one. An invalid count is ignored, so sums are never negative or NaN, and
// the usage says which counts are missing.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { MeteredUsage, Usage } from '../../kernel/usage.ts';
import {
  addGeminiDetails,
  addGeminiTier,
  addOpenaiDetails,
  addTier,
  addToolUses,
  hasToolUses,
  type RawExtras,
  STANDARD,
  usageExtras,
} from './usage-extras.ts';
import { countOf, isObject, type JsonRecord, nested } from './usage-fields.ts';
import {
  addIterations,
  cacheWritesOf,
  hourWritesOf,
  type RawIterations,
} from './usage-iterations.ts';

export type RawCounts = {
  hasInput: boolean;
  /** How often the output was reported: a stream repeats its cumulative count. */
  outputReports: number;
  input: number;
  /** Gemini reports the input of its tools beside the prompt. */
  toolInput: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  reasoning: number;
  /** Gemini's thoughts, which are not part of its output. */
  thoughts: number;
  total: number;
  /** Undefined until the provider reports them. */
  extras: RawExtras | undefined;
  /** Undefined until Anthropic lists them. */
  iterations: RawIterations | undefined;
  /** The provider reports the standard tier, as most answers do. */
  isStandardTier: boolean;
  /** Gemini reports the modalities of its output. */
  hasOutputDetails: boolean;
  /** The provider reports the lifetimes of its cache writes. */
  hasLifetimes: boolean;
};

export function emptyCounts(): RawCounts {
  return {
    hasInput: false,
    outputReports: 0,
    input: 0,
    toolInput: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    reasoning: 0,
    thoughts: 0,
    total: 0,
    extras: undefined,
    iterations: undefined,
    isStandardTier: false,
    hasOutputDetails: false,
    hasLifetimes: false,
  };
}

/** Adds one parsed usage object of the provider. */
export function addCounts(format: ProviderFormat, counts: RawCounts, usage: JsonRecord): void {
  ADD[format](counts, usage);
}

/**
 * Undefined until a readable usage object has been added or a tool of the provider was used. `isOutputOpen`: the answer has
 * content that the reported output does not include.
 */
export function usageOf(
  format: ProviderFormat,
  counts: RawCounts,
  isOutputOpen: boolean,
): MeteredUsage | undefined {
  const { extras, isStandardTier } = counts;
  const hasInput = counts.hasInput && readsAnything(counts);
  const isKnown = hasInput || counts.outputReports > 0;
  if (!isKnown && !hasToolUses(extras)) return undefined;
  const usage = NORMALISE[format](counts);
  if (!hasInput || isOutputOpen) {
    const missing = { input: !hasInput, output: isOutputOpen };
    const parts = extras && usageExtras(usage, extras, counts, isOutputOpen);
    return { ...usage, ...parts, missing };
  }
  if (extras) return { ...usage, ...usageExtras(usage, extras, counts, false) };
  return isStandardTier ? { ...usage, tiers: STANDARD } : usage;
}

/** Every request has input, so a report of zero (some servers count only uncached input) does not count as a report. */
function readsAnything({ input, toolInput, cacheRead, cacheWrite, cacheWrite1h }: RawCounts) {
  return input + toolInput + cacheRead + cacheWrite + cacheWrite1h > 0;
}

/** Whether the counts report no output, so that any content of the answer is missing from them. */
export function hasNoOutput({ output, thoughts }: RawCounts): boolean {
  return output === 0 && thoughts === 0;
}

export type CountName = Exclude<
  keyof RawCounts,
  | 'hasInput'
  | 'outputReports'
  | 'extras'
  | 'iterations'
  | 'isStandardTier'
  | 'hasOutputDetails'
  | 'hasLifetimes'
>;

export const GEMINI_COUNTS = {
  promptTokenCount: 'input',
  toolUsePromptTokenCount: 'toolInput',
  candidatesTokenCount: 'output',
  cachedContentTokenCount: 'cacheRead',
  thoughtsTokenCount: 'thoughts',
  totalTokenCount: 'total',
} as const satisfies Record<string, CountName>;

export const GEMINI_KEYS = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const;

/** The tier that a request was served at; Vertex has the second name. */
export const GEMINI_TIER_KEYS = ['serviceTier', 'trafficType'] as const;

const ADD: Record<ProviderFormat, (counts: RawCounts, usage: JsonRecord) => void> = {
  anthropic(counts, usage) {
    replaceInput(counts, usage);
    raise(counts, 'output', usage['output_tokens']);
    counts.hasLifetimes ||= isObject(usage['cache_creation']);
    raise(counts, 'reasoning', nested(usage['output_tokens_details'])['thinking_tokens']);
    addToolUses(counts, nested(usage['server_tool_use']));
    addIterations(counts, usage['iterations']);
    for (const name of ANTHROPIC_TIERS) addTier(counts, name, usage[name]);
  },
  openai(counts, usage) {
    const input = nested(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
    const output = nested(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
    raise(counts, 'input', usage['prompt_tokens'] ?? usage['input_tokens']);
    raise(counts, 'output', usage['completion_tokens'] ?? usage['output_tokens']);
    raise(counts, 'cacheRead', input['cached_tokens']);
    raise(counts, 'cacheWrite', input['cache_write_tokens']);
    addLifetimes(counts, input['cache_write_tokens_details']);
    addCompatibleCaches(counts, usage, input);
    raise(counts, 'reasoning', output['reasoning_tokens']);
    raise(counts, 'total', usage['total_tokens']);
    addOpenaiDetails(counts, input, output);
    // Embeddings of some compatible providers report the total alone.
    if (!counts.hasInput && counts.outputReports === 0)
      raise(counts, 'input', usage['total_tokens']);
  },
  gemini(counts, usage) {
    for (const key of GEMINI_KEYS) raise(counts, GEMINI_COUNTS[key], usage[key]);
    addGeminiDetails(counts, usage);
    for (const name of GEMINI_TIER_KEYS) addGeminiTier(counts, usage[name]);
  },
};

/**
 * Anthropic's input excludes cached tokens, and some compatible providers report all of it as uncached at first: a report whose
 * counts sum to as much as the earlier ones replaces them. Counts that it leaves out stay.
 */
function replaceInput(counts: RawCounts, usage: JsonRecord): void {
  const { cacheRead, cacheWrite, cacheWrite1h } = counts;
  const stated = countOf(usage['input_tokens']);
  const hasWrites =
    isObject(usage['cache_creation']) ||
    countOf(usage['cache_creation_input_tokens']) !== undefined;
  const input = stated ?? counts.input;
  const read = countOf(usage['cache_read_input_tokens']) ?? cacheRead;
  const written = hasWrites ? cacheWritesOf(usage) : cacheWrite;
  if (stated !== undefined) counts.hasInput = true;
  if (input + read + written < counts.input + cacheRead + cacheWrite) return;
  counts.input = input;
  counts.cacheRead = read;
  counts.cacheWrite = written;
  // Streams repeat the total of the writes without its parts.
  counts.cacheWrite1h = Math.max(cacheWrite1h, hourWritesOf(usage));
}

/** The lifetimes of OpenAI's cache writes; the price of the longer one is that of a long write. */
function addLifetimes(counts: RawCounts, details: unknown): void {
  if (!isObject(details)) return;
  const long = countOf(nested(details)['ttl_12h_tokens']) ?? 0;
  const short = countOf(nested(details)['ttl_30m_tokens']) ?? 0;
  counts.hasLifetimes = true;
  raise(counts, 'cacheWrite', long + short);
  raise(counts, 'cacheWrite1h', long);
}

/** DeepSeek and Moonshot report their cache hits beside the totals, Alibaba and LiteLLM their cache writes by other names. */
function addCompatibleCaches(counts: RawCounts, usage: JsonRecord, input: JsonRecord): void {
  raise(counts, 'cacheRead', usage['prompt_cache_hit_tokens']);
  raise(counts, 'cacheRead', usage['cached_tokens']);
  raise(counts, 'cacheWrite', input['cache_creation_input_tokens']);
  raise(counts, 'cacheWrite', usage['cache_creation_input_tokens']);
}

const NORMALISE: Record<ProviderFormat, (counts: RawCounts) => MeteredUsage> = {
  anthropic: (counts) => {
    const { iterations } = counts;
    return iterations ? withIterations(anthropicUsage(counts), iterations) : anthropicUsage(counts);
  },
  openai: (counts) => {
    const usage = withoutCached(counts, counts.output, counts.reasoning);
    return counts.hasLifetimes ? { ...usage, lacksLifetimes: false } : usage;
  },
  gemini: (counts) => withoutCached(counts, counts.output + counts.thoughts, counts.thoughts),
};

/** Some compatible providers count reasoning beside the output, or not at all; their total reveals it. */
function withoutCached(counts: RawCounts, output: number, reasoning: number): Usage {
  const input = counts.input + counts.toolInput;
  const own = reasoning > output ? output + reasoning : output;
  const outputTokens = counts.hasInput ? Math.max(own, counts.total - input) : own;
  const cacheReadTokens = Math.min(counts.cacheRead, input);
  const cacheWriteTokens = Math.min(counts.cacheWrite, input - cacheReadTokens);
  const cacheWrite1hTokens = Math.min(counts.cacheWrite1h, cacheWriteTokens);
  return {
    inputTokens: input - cacheReadTokens - cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: cacheWriteTokens - cacheWrite1hTokens,
    cacheWrite1hTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
  };
}

function anthropicUsage(counts: RawCounts): MeteredUsage {
  const cacheWrite1hTokens = Math.min(counts.cacheWrite1h, counts.cacheWrite);
  const usage = {
    inputTokens: counts.input,
    outputTokens: counts.output,
    cacheReadTokens: counts.cacheRead,
    // Streams repeat the total without its parts, so the five-minute part is the rest of the total.
    cacheWriteTokens: counts.cacheWrite - cacheWrite1hTokens,
    cacheWrite1hTokens,
    reasoningTokens: Math.min(counts.reasoning, counts.output),
  };
  return counts.cacheWrite > 0 && !counts.hasLifetimes ? { ...usage, lacksLifetimes: true } : usage;
}

/** A list that leaves out a part of the messages does not show the largest context. */
function withIterations(usage: MeteredUsage, passes: RawIterations): MeteredUsage {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  const ofMessages = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
  const written1h = Math.min(passes.cacheWrite1h, passes.cacheWrite);
  return {
    ...usage,
    inputTokens: inputTokens + passes.input,
    outputTokens: usage.outputTokens + passes.output,
    cacheReadTokens: cacheReadTokens + passes.cacheRead,
    cacheWriteTokens: cacheWriteTokens + passes.cacheWrite - written1h,
    cacheWrite1hTokens: cacheWrite1hTokens + written1h,
    ...(passes.messages >= ofMessages ? { contextTokens: passes.largest } : {}),
  };
}

/** Counts of a stream are cumulative, so the largest value is the latest. An invalid count changes nothing. */
export function raise(counts: RawCounts, name: CountName, value: unknown): void {
  const count = countOf(value);
  if (count === undefined) return;
  if (name === 'input') counts.hasInput = true;
  else if (name === 'output' || name === 'thoughts') counts.outputReports += 1;
  if (count > counts[name]) counts[name] = count;
}

const ANTHROPIC_TIERS = ['service_tier', 'speed', 'inference_geo'];
