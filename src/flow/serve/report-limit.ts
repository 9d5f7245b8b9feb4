// A usage limit that a product met outside of this gateway, told by an event of its build: from then on nobody here
// calls that provider before its time. Only a key that was made for it may say so, because it stops everybody's
// calls; and never for longer than a month.

import type { Principal } from '../../admission/principal.ts';
import {
  type ProviderLimit,
  type ProviderLimits,
  UNSTATED_LIMIT_MS,
} from '../../admission/provider-limits.ts';
import type { ReportedFailure } from '../../events/emit-events.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { type CircuitKey, regionLabel } from '../../resilience/circuit-key.ts';

export type ReportLimitParts = {
  readonly limits: Pick<ProviderLimits, 'set'>;
  /** The scope of each of a provider's accounts; empty for a provider that is not configured. */
  readonly accountsOf: (provider: string) => readonly CircuitKey[];
  /** Which provider serves a model; undefined for one that is not known. */
  readonly providerOf: (model: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** Resolves when every server can know. Never rejects: a report is stored whether or not its limit could be told. */
export type ReportLimit = (
  principal: Pick<Principal, 'scopes' | 'keyId'>,
  reported: ReportedFailure,
) => Promise<void>;

const MAX_REPORT_MS = 32 * 86_400_000;

export function createReportLimit(parts: ReportLimitParts): ReportLimit {
  const { clock } = parts;
  return async ({ scopes, keyId }, reported) => {
    if (reported.verdict.code !== 'AI_LIMIT_REACHED' || !scopes.has('limits:report')) return;
    const provider = whoseLimit(parts, reported);
    const setAt = clock.now();
    const resetAt = resetOf(reported, setAt);
    // The report does not say which account it met the limit with, so it holds for all of them.
    for (const account of parts.accountsOf(provider))
      await tell(parts, { ...account, resetAt, setBy: keyId, setAt, kind: 'reported' });
  };
}

async function tell({ limits, log }: ReportLimitParts, limit: ProviderLimit): Promise<void> {
  const { provider, resetAt, setBy } = limit;
  const metadata = { provider, region: regionLabel(limit), resetAt, keyId: setBy };
  try {
    await limits.set(limit);
    log.write({ level: 'warn', type: 'ai_limit', message: 'a limit was reported', metadata });
  } catch {
    const message = 'a reported limit could not be told to the others';
    log.write({ level: 'error', type: 'ai_limit', message, metadata });
  }
}

function resetOf({ verdict: { resetAt, retryAfterMs } }: ReportedFailure, now: number): number {
  const statedAt = resetAt ?? now + (retryAfterMs ?? UNSTATED_LIMIT_MS);
  return Math.min(statedAt, now + MAX_REPORT_MS);
}

/** By name where one is given, then by the model, then by the words of the failure. */
function whoseLimit(parts: ReportLimitParts, { failure, data }: ReportedFailure): string {
  for (const said of [failure, data]) {
    const named = textAt(said, 'provider')?.toLowerCase();
    if (named !== undefined && parts.accountsOf(named).length > 0) return named;
    const model = textAt(said, 'model');
    const serving = model === undefined ? undefined : parts.providerOf(model);
    if (serving !== undefined) return serving;
  }
  return byWords(typeof failure === 'string' ? failure : JSON.stringify(failure));
}

function byWords(text: string): string {
  const bounded = text.slice(0, MAX_TEXT);
  // The command-line clients of subscriptions name nobody, and it is mostly theirs that is reported.
  return WORDS.find(([word]) => word.test(bounded))?.[1] ?? 'anthropic';
}

const MAX_TEXT = 8 * 1024;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\banthropic\b|\bclaude\b/i, 'anthropic'],
  [/\bopenai\b|\bchatgpt\b|\bcodex\b|\bgpt-/i, 'openai'],
  [/\bgemini\b|\bgoogle\b|\bvertex\b/i, 'gemini'],
];

function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' ? field : undefined;
}
