// Bounds what the tools that a provider runs make a model read: after each use it reads its context again, with the result. The
// result of a search is a list of excerpts, so that the context grows by a bounded amount with each search; the result of
// any other tool may fill the window. Pure.

import type { RequestFeatures } from '../../upstream/json/request-features.ts';
import type { ServerTool } from '../../upstream/json/request-tools.ts';

/** The rounds after which providers stop a model that goes on using their tools. */
const MAX_TOOL_USES = 10;

/** Ten excerpts of a long page each. The first search may fill the window. */
const SEARCH_TOKENS = 32_000;
const SEARCHES: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'tool_search',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
]);

/** The tokens that the model reads again; `ownTokens` is the input of the request itself. */
export function tokensOfRounds(
  features: RequestFeatures,
  ownTokens: number,
  windowTokens: number,
): number {
  const uses = mostUses(features);
  if (uses <= 1 || !features.tools.every(({ kind }) => SEARCHES.has(kind)))
    return uses * windowTokens;
  let tokens = windowTokens;
  for (let use = 2; use <= uses; use += 1) {
    const context = ownTokens + use * SEARCH_TOKENS;
    if (context >= windowTokens) return tokens + (uses - use + 1) * windowTokens;
    tokens += context;
  }
  return tokens;
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
