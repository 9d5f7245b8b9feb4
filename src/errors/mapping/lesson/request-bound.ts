// Decides whether a refusal concerns the size or a feature of one request, so that the account still serves others: a long
// context without the plan for it, more output than the remaining credit pays for, more tokens than are left of a minute or a
// day, a scope that the key lacks. Such a refusal teaches other organisations nothing. A request that makes its provider quote
// one of these sentences prevents only what its own failure would have taught. Every pattern is bounded.

import type { HeaderFields } from '../reading/header-fields.ts';
import type { Reading } from '../reading/reading.ts';
import { type CallerText, isSaidBy } from './caller-text.ts';
import type { RequestFacts } from './said-fields.ts';

export type SizedRequest = RequestFacts & {
  /** The tokens that the request needs at most, estimated. */
  readonly requestTokens?: () => number;
  /** The provider counts the request against the limits of long contexts. */
  readonly isLongContext?: boolean;
};

/**
 * A limit or a throttle of a feature, a plan, an end user, a tool's model or a vendor that the request names, which plainer
 * requests do not meet.
 */
export function isLimitOfRequest(
  { windows, text }: Reading,
  { model = '', callerText }: RequestFacts,
): boolean {
  if (windows.some((name) => FEATURE_WINDOW.test(name)) || LIMIT_SENTENCE.test(text)) return true;
  if (UPSTREAM_SENTENCE.test(text) && callerText?.mayState?.('provider')) return true;
  const [, family = ''] = TOOL_MODEL.exec(text) ?? [];
  return family !== '' && !model.includes(family.toLowerCase());
}

/** A 401 that refuses this operation or this model to a valid key, or a key that the request brings (LiteLLM). */
export function isScopeOfRequest(sentence: string, { callerText }: RequestFacts): boolean {
  if (SCOPE_SENTENCE.test(sentence) || UPSTREAM_SENTENCE.test(sentence)) return true;
  return callerText?.mayState?.('api_key') === true;
}

/**
 * The request needs more tokens than the limit has left, and most others fit. The numbers of the sentence outrank those of the
 * headers, which may state other windows than the exhausted one: at Groq the minute, while the day is used up. A statement that
 * the request contains may narrow the lesson and not widen it.
 */
export function exceedsBySize(
  { headers, text, windows }: Reading,
  isThrottle: boolean,
  { callerText, requestTokens, isLongContext = false }: SizedRequest,
): boolean {
  if (isThrottle && isLongContext) return true;
  const tokensOf = requestTokens ?? NO_TOKENS;
  const stated = [...text.matchAll(STATED)];
  if (stated.some((each) => exceedsStated(each, tokensOf))) return true;
  if (hasOwnStatement(text, callerText)) return false;
  const left = leftOf(headers);
  if (left.length > 0) return exceedsLeft(left, isThrottle, tokensOf);
  const limit = tokenLimit(text, windows);
  return limit > 0 && tokensOf() >= limit * LARGE_SHARE;
}

/** Whether a refusal states the exhausted limit, its amount or what is left of it. */
export function statesAmount(
  { headers, text, windows }: Reading,
  { callerText }: RequestFacts,
): boolean {
  if (hasOwnStatement(text, callerText) || leftOf(headers).length > 0) return true;
  return tokenLimit(text, windows) > 0;
}

function hasOwnStatement(text: string, callerText: CallerText | undefined): boolean {
  const statements = [...text.matchAll(STATED), ...text.matchAll(PACE_SENTENCE)];
  return statements.some(([words]) => !isSaidBy(callerText, words));
}

/** 0 without one. */
function tokenLimit(text: string, windows: readonly string[]): number {
  const { sentence = '', metric = sentence } = TOKEN_LIMIT.exec(text)?.groups ?? {};
  return Number(metric.replaceAll(',', '')) || tokenQuota(windows);
}

/**
 * Google states the amount beside the names of the limit; 0 without one, or if a limit of another kind is also
 * exhausted.
 */
function tokenQuota(windows: readonly string[]): number {
  const amounts = windows.filter((each) => AMOUNT.test(each));
  const ofTokens = windows.filter((each) => TOKEN_WINDOW.test(each));
  const isOfTokens = ofTokens.length > 0 && ofTokens.length + amounts.length === windows.length;
  return isOfTokens && amounts.length > 0 ? Math.min(...amounts.map(Number)) : 0;
}

const AMOUNT = /^\d{1,12}$/;
/** `generate_content_paid_tier_input_token_count`, `GenerateContentInputTokensPerModelPerMinute`. */
const TOKEN_WINDOW = /input_?token/;

const NO_TOKENS = (): number => 0;

function exceedsStated({ groups = {} }: RegExpExecArray, tokensOf: () => number): boolean {
  const { name = '', limit, used = 0, requested } = groups;
  const stated = { name, limit: Number(limit), remaining: Number(limit) - Number(used) };
  const isLarge = Number(requested) >= stated.limit * LARGE_SHARE;
  return hasShareLeft(stated) && (isLarge || takesTheRest(stated, tokensOf()));
}

/** Where at least half of every limit is left, only a large request exceeds the rest. */
function exceedsLeft(left: readonly Left[], isThrottle: boolean, tokensOf: () => number): boolean {
  if (isThrottle && left.every(({ remaining, limit }) => remaining >= limit / 2)) return true;
  return left.every(hasShareLeft) && left.some((each) => takesTheRest(each, tokensOf()));
}

/** A smaller request fits where this part of the limit is left. */
const FIT_SHARE = 0.1;
/** A request of this part of the limit is refused although most others fit. */
const LARGE_SHARE = 0.5;

type Left = { readonly name: string; readonly remaining: number; readonly limit: number };

function leftOf(headers: HeaderFields): readonly Left[] {
  const left: Left[] = [];
  for (const [name, value] of headers) {
    if (!REMAINING.test(name)) continue;
    const limit = Number(headers.get(name.replace('remaining', 'limit')));
    if (limit > 0) left.push({ name, remaining: Number(value), limit });
  }
  return left;
}

function hasShareLeft({ remaining, limit }: Left): boolean {
  return remaining >= limit * FIT_SHARE;
}

function takesTheRest({ name, remaining }: Left, tokens: number): boolean {
  return name.includes('tokens') && tokens >= remaining * LARGE_SHARE;
}

/** `SearchGroundingRequestsPerDayPerProject`, `input-images`. */
const FEATURE_WINDOW = /grounding|long_?context|fast_?mode|input[-_]images/;

/** OpenRouter: `Prompt tokens limit exceeded: 41234 > 8976`; LiteLLM: `End User=x over budget`, `for end_user: x`, `Tag=x`. */
const LIMIT_SENTENCE =
  /\bcan only afford\b|\bor fewer max_tokens\b|\bthis request requires\b|\blimit exceeded: \d{1,12} > \d|\blong[- ]context\b|\b1m context\b|\bfast mode\b|\bgrounding\b|\binput-images per\b|\bestimated cost\b|\bthis request would cost\b|\brequires? a paid\b|\bnot (?:available|included|supported) (?:for|on|in|with) (?:(?:your|the) )?(?:current |free )?(?:plan|tier)\b|\bend[ _]user ?[=:]|\btag ?=/i;

/** OpenAI: a tool of the request calls a model of its own, `Rate limit reached for gpt-image-1 (for limit gpt-image)`. */
const TOOL_MODEL =
  /\blimit reached for [`'"]?(gpt-image|dall-e|sora|omni-moderation|text-embedding)/i;

/**
 * Limits that the size of a request does not exceed, and that headers may not count. Anthropic: concurrent connections, and a use
 * that grows too fast; Azure: the calls of ten seconds; Mistral: the requests of a second.
 */
const PACE_SENTENCE =
  /[^.\n]{0,40}\b(?:concurren(?:t|cy)|acceleration limit|usage increase rate|call rate limit|requests rate limit|requests per (?:sec|min|hour|day))[^.\n]{0,40}/gi;

/**
 * OpenAI: a restricted key without the scope of an endpoint; Google: an operation that accepts no API key; LiteLLM: a model that
 * is not on the key's list.
 */
const SCOPE_SENTENCE =
  /\bmissing scopes?\b|\binsufficient permissions for this operation\b|\bAPI keys are not supported by this API\b|\bnot allowed to access model\b/i;

/** OpenRouter: the vendor behind one of its models failed; the field `provider` of a request chooses among them. */
const UPSTREAM_SENTENCE = /\bprovider returned (?:an )?error\b/i;

const REMAINING = /^(?:anthropic-ratelimit-(?!unified)|x-ratelimit-)[a-z-]{0,40}remaining/;

/** OpenAI, Groq: `on tokens per min (TPM): Limit 10000, Used 6000, Requested ~9000`, `on seconds of audio per hour (ASPH): …`. */
const STATED =
  /\b(?<name>[a-z-]{1,20}) per (?:min|minute|hour|day)(?: \([A-Z]{2,5}\))?: Limit (?<limit>\d{1,12}), (?:Used (?<used>\d{1,12}), )?Requested ~?(?<requested>\d{1,12})/g;

/** Anthropic: `rate limit of 30,000 input tokens per minute`; Google: `…_input_token_count, limit: 250000`. */
const TOKEN_LIMIT =
  /\b(?<sentence>\d[\d,]{0,14}) (?:(?:input|output) )?tokens per (?:minute|day)\b|_input_token_count, limit: (?<metric>\d{1,12})\b/;
