// The maximum number of tokens a request can use, so that its reservation covers any reported usage. Input is bounded by the
// request's bytes, because a token has at least one byte, and by referenced content that is not in the request (a stored
// conversation, a file, an image URL). Output is bounded by the stated maximum, otherwise by the model's.

import type { WorstCaseTokens } from './price-book.ts';

export type WorstCaseRequest = {
  readonly model: string;
  readonly inputBytes: number;
  /** Per answer; undefined if the request states none. */
  readonly maxOutputTokens?: number | undefined;
  /** The number of requested answers. */
  readonly answers?: number | undefined;
  /** Output beyond the maximum: predicted output that was not used. */
  readonly predictedTokens?: number | undefined;
  readonly hasTools?: boolean | undefined;
  /** Input that the provider may read in addition to the request's bytes. */
  readonly referredTokens?: number | undefined;
  readonly mayCacheForAnHour?: boolean | undefined;
  readonly mayReadMedia?: boolean | undefined;
  readonly toolUses?: WorstCaseTokens['toolUses'];
  readonly tiers?: WorstCaseTokens['tiers'];
};

export type WorstCaseOptions = {
  /** The limit of models that the table does not list. */
  readonly defaultMaxOutputTokens?: number | undefined;
  /** By a model's name or a prefix of it; overrides the table. */
  readonly maxOutputTokens?: Readonly<Record<string, number>> | undefined;
};

export type WorstCase = (request: WorstCaseRequest) => WorstCaseTokens;

/** The largest output of a model. */
export function createModelMaximum(options: WorstCaseOptions = {}): (model: string) => number {
  const { defaultMaxOutputTokens = DEFAULT_MAX_OUTPUT, maxOutputTokens = {} } = options;
  const table = [...byLength(Object.entries(maxOutputTokens)), ...byLength(MAX_OUTPUT)];
  return (model) => {
    const name = model.slice(model.lastIndexOf('/') + 1);
    return table.find(([prefix]) => name.startsWith(prefix))?.[1] ?? defaultMaxOutputTokens;
  };
}

export function createWorstCase(options: WorstCaseOptions = {}): WorstCase {
  const modelMaximum = createModelMaximum(options);
  return (request) => {
    const { answers = 1, hasTools = false, referredTokens = 0, mayCacheForAnHour } = request;
    const perAnswer = request.maxOutputTokens ?? modelMaximum(request.model);
    const instructions = hasTools ? TOOL_INSTRUCTION_TOKENS : 0;
    return {
      inputTokens: bounded(request.inputBytes + referredTokens + instructions),
      outputTokens: bounded(perAnswer * answers + (request.predictedTokens ?? 0)),
      mayCacheForAnHour,
      mayReadMedia: request.mayReadMedia,
      toolUses: request.toolUses,
      tiers: request.tiers,
    };
  };
}

/** Instructions that providers add to a request with tools: Anthropic 2,525 tokens for computer, shell and editor together. */
const TOOL_INSTRUCTION_TOKENS = 3000;

/** More than any model's output; a request with this maximum exceeds any budget. */
const MAX_TOKENS = 1_000_000_000;

const DEFAULT_MAX_OUTPUT = 128_000;

/** The documented limits, by name prefix; the longest prefix wins. */
const MAX_OUTPUT: readonly (readonly [string, number])[] = [
  ['claude-3-', 4096],
  ['claude-3-5-', 8192],
  ['claude-3-7-', 128_000],
  ['claude-opus-4', 32_000],
  ['claude-opus-4-5', 64_000],
  ['claude-opus-4-6', 128_000],
  ['claude-opus-4-7', 128_000],
  ['claude-opus-4-8', 128_000],
  ['claude-sonnet-4', 64_000],
  ['claude-haiku-4', 64_000],
  ['gpt-3.5', 4096],
  ['gpt-3.5-turbo-16k', 16_384],
  ['gpt-4', 8192],
  ['gpt-4-32k', 32_768],
  ['gpt-4.5', 16_384],
  ['gpt-4-turbo', 4096],
  ['gpt-4o', 16_384],
  ['gpt-4o-64k', 65_536],
  ['gpt-4.1', 32_768],
  ['gpt-5-pro', 272_000],
  ['gpt-oss', 131_072],
  ['chatgpt-4o', 16_384],
  ['o1', 100_000],
  ['o3', 100_000],
  ['o4', 100_000],
  ['gemini-1.5', 8192],
  ['gemini-2.0', 8192],
  ['gemini-2.0-flash-thinking', 65_536],
  ['gemini-2.5', 65_536],
  ['gemini-3', 65_536],
  ['text-embedding-', 0],
  ['gemini-embedding-', 0],
];

function byLength(entries: readonly (readonly [string, number])[]): [string, number][] {
  return entries
    .map(([prefix, tokens]): [string, number] => [prefix, tokens])
    .sort(([one], [other]) => other.length - one.length);
}

function bounded(tokens: number): number {
  return Math.min(Math.max(0, Math.ceil(tokens)), MAX_TOKENS);
}
