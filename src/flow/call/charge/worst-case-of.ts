// The quantities that bound the cost of a call at one target. Text has at most a token per byte; media and stored objects have up to
// the model's context window, and tools of the provider make the model read its context again. Pure.

import { imageTokens } from '../../../metering/prices/image-tokens.ts';
import { searchesAlways } from '../../../metering/prices/search-models.ts';
import type { WorstCaseRequest } from '../../../metering/prices/worst-case.ts';
import type { ContextTokensOf } from '../../../routing/context-window.ts';
import type { Target } from '../../../routing/target.ts';
import { knowsNewMaximum } from '../../../upstream/chat-fields.ts';
import { countRequests } from '../../../upstream/json/nested-models.ts';
import type { ServerTool } from '../../../upstream/json/request-tools.ts';
import type { CallPlan } from '../plan-call.ts';
import { tokensOfRounds, usesOf, withMaxUses } from '../tools/tool-rounds.ts';

/** `maxToolCalls` as `callTo` sends it. */
export function worstCaseOf(
  plan: CallPlan,
  target: Target,
  contextTokens: ContextTokensOf,
  maxToolCalls?: number,
): WorstCaseRequest {
  const { body, stated, charge, translation } = plan;
  const { model } = target;
  if (charge === 'nothing') return { model, inputBytes: 0, maxOutputTokens: 0 };
  const { isUnbounded, images, mediaBytes = 0, mayCacheForAnHour, hasMedia } = stated.references;
  const requested = translation?.isNeededAt(target) ? undefined : stated.features;
  const features =
    requested && maxToolCalls !== undefined
      ? withMaxUses(requested, maxToolCalls, plan.operation === 'responses')
      : requested;
  const tools = features?.tools ?? NO_TOOLS;
  const isOpen = isUnbounded || stated.readsStored;
  const inputBytes = body.length - mediaBytes;
  const hasRounds = tools.length > 0 || searchesAlways(model);
  const window = isOpen || hasRounds ? windowAt(plan, target, contextTokens) : 0;
  const referredTokens = isOpen ? window * windowsOf(plan) : tokensOfImages(images, model);
  const ownTokens = inputBytes + referredTokens;
  const rounds = features ? tokensOfRounds(features, ownTokens, window, target) : 0;
  const summary = stated.mayCompact ? SUMMARY_TOKENS : 0;
  return {
    model,
    inputBytes,
    referredTokens: referredTokens + summary + Math.max(searchesAlways(model) ? window : 0, rounds),
    maxOutputTokens: charge === 'input' ? 0 : maximumAt(plan, target),
    predictedTokens: stated.predictedBytes + summary,
    answers: stated.answers,
    hasTools: stated.hasTools,
    mayCacheForAnHour,
    mayReadMedia: hasMedia,
    ...(tools.length > 0 ? { toolUses: usesOf(tools) } : {}),
    ...(features ? { tiers: features.tiers } : {}),
  };
}

const NO_TOOLS: readonly ServerTool[] = Object.freeze([]);

/** The summary of a compacted context, several times as long as usual ones. */
const SUMMARY_TOKENS = 20_000;

/** Of Anthropic's models that have a longer window on request. */
const LONG_CONTEXT_TOKENS = 1_000_000;

function windowAt(
  { hasLongContext }: Pick<CallPlan, 'hasLongContext'>,
  { format, model }: Target,
  contextTokens: ContextTokensOf,
): number {
  const tokens = contextTokens(model);
  return hasLongContext && format === 'anthropic' ? Math.max(tokens, LONG_CONTEXT_TOKENS) : tokens;
}

/** A translated request states its maximum under the name that the provider knows. */
function maximumAt({ stated, translation }: CallPlan, target: Target): number | undefined {
  const { maxOutputTokens, oldMaximum } = stated;
  if (maxOutputTokens === oldMaximum || translation?.isNeededAt(target)) return maxOutputTokens;
  return knowsNewMaximum(target) ? maxOutputTokens : oldMaximum;
}

/** Each request of a batch of embeddings has a window of its own. */
function windowsOf({ operation, body }: Pick<CallPlan, 'operation' | 'body'>): number {
  return operation === 'embeddings' ? countRequests(body) : 1;
}

function tokensOfImages(images: number, model: string): number {
  return images === 0 ? 0 : images * imageTokens(model);
}
