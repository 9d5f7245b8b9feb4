// Decides the usage that an attempt is charged for, by how it ended:
//
//   the provider reported usage            that usage
//   a report without one of its counts     that usage, and an estimate of the missing count
//   a complete answer without usage        an estimate of input and output
//   the caller left, or a clock ran out    the usage that the stream reports within a few seconds; else an estimate of the
//                                          input and of the streamed output, and for a unary call, which the provider
//                                          goes on with, at least the reservation; a stream that fails meanwhile costs
//                                          what it costs a caller that stays
//   the connection broke                   the usage so far, else an estimate of what arrived
//   a refusal with status 200              the usage it reports: the provider charges the prompt and its thinking
//   a failed answer with status 200        the usage it reports
//   an answer in another form than asked   the usage it reports, else an estimate of input and output
//   an answer that cannot be decoded       an estimate of the input, at least the reservation
//   the provider failed before content     nothing
//
// Pure.

import type { SpillwayError } from '../../../errors/spillway-error.ts';
import type { ProviderFormat } from '../../../kernel/provider-format.ts';
import { type MeteredUsage, NO_USAGE, type UsageExtras } from '../../../kernel/usage.ts';
import { PREVIEW_SEARCH } from '../../../metering/prices/search-models.ts';
import { estimateUsage } from '../../../metering/usage/token-estimate.ts';
import type { Attempt } from '../../../upstream/attempt/attempt.ts';
import type { UnusableAnswer } from '../../../upstream/attempt/judge-answer.ts';
import type { LeftOutcome } from '../../../upstream/attempt/leave-attempt.ts';
import type { RequestedTier } from '../../../upstream/json/request-features.ts';
import type { CallPlan } from '../plan-call.ts';
import { estimatedInputBytes } from './input-bytes.ts';
import type { ChargedUsage, SentAttempt } from './settle-attempt.ts';

type Plan = Pick<CallPlan, 'body' | 'charge' | 'isStream' | 'operation' | 'translation'> & {
  readonly stated: Pick<CallPlan['stated'], 'features' | 'references'>;
};
type Answered = Pick<
  Attempt,
  'reportedUsage' | 'streamedBytes' | 'receivedBytes' | 'unusableAnswer'
>;

type Sent = Pick<SentAttempt, 'reservedNanos'> & Partial<Pick<SentAttempt, 'target'>>;

const NOTHING: ChargedUsage = Object.freeze({ usage: NO_USAGE, isEstimated: false, isFree: true });

/** A complete answer; `outputBytes` is the size of its content, for an estimate. */
export function chargeAnswer(
  ofAllTargets: Plan,
  reported: MeteredUsage | undefined,
  outputBytes: number,
  target?: SentAttempt['target'],
): ChargedUsage {
  const plan = planAt(ofAllTargets, target);
  if (plan.charge === 'nothing') return NOTHING;
  if (reported && !reported.missing) return exact(plan, reported);
  return estimated(plan, reported, reported?.missing?.output === false ? 0 : outputBytes);
}

/** An attempt that failed while its caller waits. */
export function chargeFailed(
  plan: Plan,
  attempt: Answered,
  sent: Sent,
  error: SpillwayError,
  hasContent: boolean,
): ChargedUsage {
  if (error.isTimedOut) return chargeLeft(plan, attempt, sent, { kind: 'unknown' });
  const unusable = attempt.unusableAnswer();
  if (unusable) return chargeUnusable(plan, unusable, sent);
  return chargeFailure(planAt(plan, sent.target), attempt, error, hasContent, sent.target?.format);
}

/** The provider has answered and charges for it, although the caller gets nothing. */
function chargeUnusable(plan: Plan, answer: UnusableAnswer, sent: Sent): ChargedUsage {
  const charged = chargeAnswer(plan, answer.usage, answer.outputBytes, sent.target);
  return answer.isRead || charged.isFree ? charged : { ...charged, leastNanos: sent.reservedNanos };
}

/** A failure that the provider or the connection caused. */
export function chargeFailure(
  plan: Plan,
  attempt: Answered,
  { code }: SpillwayError,
  hasContent: boolean,
  format?: ProviderFormat,
): ChargedUsage {
  const reported = attempt.reportedUsage();
  const isRefused = code === 'CONTENT_POLICY' && !(hasContent && reported?.missing);
  const isReported = isRefused || (!hasContent && failedWithUsage(plan, reported, format));
  if (isReported && reported && plan.charge !== 'nothing') return exact(plan, reported);
  const isCut = code === 'NETWORK_TIMEOUT';
  if (hasContent || (isCut && reported)) return estimated(plan, reported, unreportedBytes(attempt));
  const received = attempt.receivedBytes();
  return isCut && received > 0 ? estimated(plan, undefined, received) : NOTHING;
}

/** An attempt that the gateway no longer waits for: the caller left, or a clock ran out. */
export function chargeLeft(
  ofAllTargets: Plan,
  attempt: Answered,
  sent: Sent,
  outcome: LeftOutcome,
): ChargedUsage {
  const { reservedNanos, target } = sent;
  const plan = planAt(ofAllTargets, target);
  if (plan.charge === 'nothing') return NOTHING;
  if (outcome.kind === 'refused') {
    const { error } = outcome;
    return error ? chargeFailed(plan, attempt, sent, error, attempt.streamedBytes() > 0) : NOTHING;
  }
  if (outcome.kind === 'reported')
    return chargeAnswer(plan, outcome.usage, attempt.streamedBytes());
  if (plan.isStream) return estimated(plan, attempt.reportedUsage(), unreportedBytes(attempt));
  return { ...estimated(plan, undefined, 0), leastNanos: reservedNanos };
}

/** Whether the failure itself reports its usage: streams of the other formats report theirs before they fail. */
function failedWithUsage(
  { isStream }: Plan,
  reported: MeteredUsage | undefined,
  format: ProviderFormat | undefined,
): boolean {
  return reported !== undefined && !reported.missing && (!isStream || format === 'openai');
}

/** The streamed bytes; 0 where the reported usage includes them. */
function unreportedBytes(attempt: Answered): number {
  const reported = attempt.reportedUsage();
  return reported && !reported.missing ? 0 : attempt.streamedBytes();
}

/** Tiers and tools of a vendor are never sent to a target of another format, so that they cost nothing there. */
function planAt(plan: Plan, target: SentAttempt['target'] | undefined): Plan {
  const { stated, translation } = plan;
  if (!target || !stated.features || !translation?.isNeededAt(target)) return plan;
  return { ...plan, stated: { ...stated, features: undefined } };
}

function estimated(plan: Plan, known: MeteredUsage | undefined, outputBytes: number): ChargedUsage {
  if (plan.charge === 'nothing') return NOTHING;
  const inputBytes = estimatedInputBytes(plan.body, plan.stated.references);
  const usage = estimateUsage(inputBytes, plan.charge === 'input' ? 0 : outputBytes, known);
  return { usage: withRequested(plan, withLifetime(plan, usage)), isEstimated: true };
}

function exact(plan: Plan, usage: MeteredUsage): ChargedUsage {
  return { usage: withRequested(plan, withLifetime(plan, usage)), isEstimated: false };
}

/**
 * OpenAI's format need not report the lifetime of cache writes, and some providers of Anthropic's do not; they charge them by the
 * requested lifetime.
 */
function withLifetime({ operation, stated }: Plan, usage: MeteredUsage): MeteredUsage {
  const lacksThem = usage.lacksLifetimes ?? (operation === 'chat' || operation === 'responses');
  if (!lacksThem || usage.cacheWriteTokens === 0) return usage;
  // The report of a target of another format has the lifetimes.
  if (usage.cacheWrite1hTokens > 0) return usage;
  if (!stated.references.mayCacheForAnHour) return usage;
  const { cacheWriteTokens, cacheWrite1hTokens } = usage;
  return {
    ...usage,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: cacheWrite1hTokens + cacheWriteTokens,
  };
}

/**
 * Features that the request asks for and the answer does not report: the requested tier applies, and a tool counts as
 * used once if the provider does not report its uses.
 */
function withRequested(plan: Plan, usage: MeteredUsage): MeteredUsage {
  const { features } = plan.stated;
  if (!features) return usage;
  const tiered = features.tiers.length > 0 ? withTiers(plan, features.tiers, usage) : usage;
  const requested = withVersions(features.tools, tiered);
  const unreported = features.tools.filter((tool) => !tool.isReported);
  if (unreported.length === 0) return requested;
  const extras = requested.extras ?? NO_EXTRAS;
  const uses = Object.fromEntries(unreported.map(({ kind }) => [kind, 1]));
  return { ...requested, extras: { ...extras, toolUses: { ...uses, ...extras.toolUses } } };
}

/** An answer reports both versions of OpenAI's web search by one name; the request states which one, and so its price. */
function withVersions(
  tools: NonNullable<Plan['stated']['features']>['tools'],
  usage: MeteredUsage,
): MeteredUsage {
  const { extras } = usage;
  const searches = extras?.toolUses['web_search'];
  if (!extras || !searches || !tools.some(({ kind }) => kind === PREVIEW_SEARCH)) return usage;
  const toolUses = { ...extras.toolUses, web_search: 0, [PREVIEW_SEARCH]: searches };
  return { ...usage, extras: { ...extras, toolUses } };
}

/**
 * Gemini need not report a tier that it served. A provider of another format that does not report it may not know it, and
 * then serves the standard tier at its price.
 */
function withTiers(
  { operation, translation }: Plan,
  requested: readonly RequestedTier[],
  usage: MeteredUsage,
): MeteredUsage {
  const unreported = requested.filter(({ field }) => usage.tiers?.[tierName(field)] === undefined);
  if (unreported.length === 0) return usage;
  if (operation !== 'generate' || translation) return { ...usage, unconfirmedTiers: unreported };
  const tiers = unreported.map(({ field, tier }) => [tierName(field), tier]);
  return { ...usage, tiers: { ...Object.fromEntries(tiers), ...usage.tiers } };
}

/** Gemini accepts both spellings of its field; a tier counts once. */
function tierName(field: string): string {
  return field === 'serviceTier' ? 'service_tier' : field;
}

const NO_EXTRAS: UsageExtras = Object.freeze({
  audioInputTokens: 0,
  imageInputTokens: 0,
  videoInputTokens: 0,
  audioCacheTokens: 0,
  imageCacheTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  toolUses: {},
});
