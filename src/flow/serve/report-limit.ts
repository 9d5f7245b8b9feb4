// Learns a usage limit that a product met outside of this gateway, from a build event: no server calls that provider
// before the reset time. The key needs the scope `limits:report`, because the limit stops the calls of all organisations.
// A reported limit lasts 32 days at most.

import type { Principal } from '../../admission/principal.ts';
import {
  MAX_LIMIT_MS,
  type ProviderLimit,
  type ProviderLimits,
} from '../../admission/provider-limits.ts';
import { reportedLesson } from '../../errors/mapping/lesson/reported-lesson.ts';
import { UNSTATED_LIMIT_MS } from '../../errors/reset-timing.ts';
import type { ReportedFailure } from '../../events/emit-events.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { type CircuitKey, regionLabel } from '../../resilience/circuit-key.ts';
import { resetFields } from '../call/log-call.ts';

export type ReportLimitParts = {
  readonly limits: Pick<ProviderLimits, 'set'>;
  /** The scope of each of a provider's accounts; empty for a provider that is not configured. */
  readonly accountsOf: (provider: string) => readonly CircuitKey[];
  /** The provider that serves a model; undefined for an unknown model. */
  readonly providerOf: (model: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** Resolves when the limit is announced. Never rejects: the event is stored even if the announcement fails. */
export type ReportLimit = (
  principal: Pick<Principal, 'scopes' | 'keyId'>,
  reported: ReportedFailure,
) => Promise<void>;

export function createReportLimit(parts: ReportLimitParts): ReportLimit {
  const { clock } = parts;
  return async ({ scopes, keyId }, reported) => {
    if (!scopes.has('limits:report')) return;
    const setAt = clock.now();
    const lesson = reportedLesson(reported.failure, reported.verdict, setAt);
    if (lesson.code !== 'AI_LIMIT_REACHED') return;
    const provider = limitedProvider(parts, reported);
    const resetAt = resetOf(lesson, setAt);
    // The report does not name the account, so the limit applies to all of them.
    for (const account of parts.accountsOf(provider))
      await announce(parts, { ...account, resetAt, setBy: keyId, setAt, kind: 'reported' });
  };
}

async function announce({ limits, log }: ReportLimitParts, limit: ProviderLimit): Promise<void> {
  const { provider, resetAt, setBy, setAt } = limit;
  const metadata = {
    provider,
    region: regionLabel(limit),
    ...resetFields(resetAt, setAt),
    // The report is the details: its text stays in the event.
    hasErrorDetails: true,
    keyId: setBy,
  };
  try {
    await limits.set(limit);
    log.write({ level: 'warn', type: 'ai_limit', message: 'a limit was reported', metadata });
  } catch {
    const message = 'a reported limit could not be announced to the other servers';
    log.write({ level: 'error', type: 'ai_limit', message, metadata });
  }
}

function resetOf({ resetAt, retryAfterMs }: StatedEnd, now: number): number {
  const statedAt = resetAt ?? now + (retryAfterMs ?? UNSTATED_LIMIT_MS);
  return Math.min(statedAt, now + MAX_LIMIT_MS);
}

type StatedEnd = {
  readonly resetAt: number | undefined;
  readonly retryAfterMs: number | undefined;
};

/** By the stated provider, else by the model, else by keywords of the failure's text. */
function limitedProvider(parts: ReportLimitParts, { failure, data }: ReportedFailure): string {
  for (const source of [failure, data]) {
    const named = textAt(source, 'provider')?.toLowerCase();
    if (named !== undefined && parts.accountsOf(named).length > 0) return named;
    const model = textAt(source, 'model');
    const serving = model === undefined ? undefined : parts.providerOf(model);
    if (serving !== undefined) return serving;
  }
  return byKeyword(typeof failure === 'string' ? failure : JSON.stringify(failure));
}

function byKeyword(text: string): string {
  const bounded = text.slice(0, MAX_TEXT_CHARACTERS);
  // Claude's command-line client names no provider, and most reports come from it.
  return KEYWORDS.find(([keyword]) => keyword.test(bounded))?.[1] ?? 'anthropic';
}

const MAX_TEXT_CHARACTERS = 8 * 1024;

const KEYWORDS: readonly (readonly [RegExp, string])[] = [
  [/\banthropic\b|\bclaude\b/i, 'anthropic'],
  [/\bopenai\b|\bchatgpt\b|\bcodex\b|\bgpt-/i, 'openai'],
  [/\bgemini\b|\bgoogle\b|\bvertex\b/i, 'gemini'],
];

function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' ? field : undefined;
}
