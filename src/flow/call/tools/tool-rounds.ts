// Bounds what the tools that a provider runs make a model read: after each use it reads its context again, with the result. The
// result of a search is a list of excerpts, so that the context grows by a bounded amount with each search; the code that
// Gemini runs and its results are a part of the answer, which has a maximum; the result of any other tool may fill the
// window. Pure.

import type { Target } from '../../../routing/target.ts';
import type { RequestFeatures } from '../../../upstream/json/request-features.ts';
import type { ServerTool } from '../../../upstream/json/request-tools.ts';

/** The number of rounds after which providers stop a model that keeps using their tools. */
export const MAX_TOOL_USES = 10;

/** Ten long excerpts. The first search may fill the window. */
const SEARCH_TOKENS = 32_000;

/** OpenAI's documented context window of web searches, which is smaller than the windows of its models. */
const WEB_SEARCH_WINDOW_TOKENS = 128_000;
const WEB_SEARCHES: ReadonlySet<string> = new Set(['web_search', 'web_search_preview']);
const OPENAI_MODEL = /^(?:openai\/)?(?:gpt-|o\d)/i;

/** The largest output of Gemini's models: Google charges code and its results as output, and their rereading as input. */
const GEMINI_OUTPUT_TOKENS = 65_536;

const SEARCHES: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'google_search',
  'tool_search',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
]);

/** The tokens that the model reads again; `ownTokens` is the input of the request itself. */
export function tokensOfRounds(
  features: RequestFeatures,
  ownTokens: number,
  windowTokens: number,
  { format, model }: Pick<Target, 'format' | 'model'>,
): number {
  const uses = mostUses(features);
  const areAll = (isOne: (kind: string) => boolean) =>
    features.tools.every((tool) => isOne(tool.kind));
  if (format === 'gemini' && areAll((kind) => kind === 'code_execution'))
    return uses * Math.min(windowTokens, ownTokens + GEMINI_OUTPUT_TOKENS);
  const isOpenai = OPENAI_MODEL.test(model) && areAll((kind) => WEB_SEARCHES.has(kind));
  const most = isOpenai
    ? Math.min(windowTokens, ownTokens + WEB_SEARCH_WINDOW_TOKENS)
    : windowTokens;
  return areAll((kind) => SEARCHES.has(kind))
    ? tokensOfSearches(uses, ownTokens, most)
    : uses * most;
}

function tokensOfSearches(uses: number, ownTokens: number, mostTokens: number): number {
  let tokens = Math.min(uses, 1) * mostTokens;
  for (let use = 2; use <= uses; use += 1) {
    const context = ownTokens + use * SEARCH_TOKENS;
    if (context >= mostTokens) return tokens + (uses - use + 1) * mostTokens;
    tokens += context;
  }
  return tokens;
}

/** The features of the request if it stated a maximum of the uses of all tools together, or of each tool that has none. */
export function withMaxUses(
  features: RequestFeatures,
  maxUses: number,
  isOfAll: boolean,
): RequestFeatures {
  const tools = features.tools.map((tool) => {
    const { maxUses: own = maxUses } = tool;
    return { ...tool, maxUses: isOfAll ? Math.min(own, maxUses) : own };
  });
  return isOfAll ? { ...features, tools, maxUses } : { ...features, tools };
}

/** The model reads its input again after each use of a tool, whichever it is. */
export function mostUses({ tools, maxUses: most = Infinity }: RequestFeatures): number {
  const isOpen = tools.some(({ maxUses }) => maxUses === undefined);
  const stated = tools.reduce((sum, { maxUses = 0 }) => sum + maxUses, 0);
  return Math.min(stated + (isOpen ? MAX_TOOL_USES : 0), most);
}

/** The most uses of each tool. */
export function usesOf(tools: readonly ServerTool[]): Readonly<Record<string, number>> {
  const uses: Record<string, number> = {};
  for (const { kind, maxUses = MAX_TOOL_USES } of tools) uses[kind] = (uses[kind] ?? 0) + maxUses;
  return uses;
}
