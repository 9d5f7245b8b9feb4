// The headers in which each provider reports the remainder of a limit. Gemini reports nothing until it
// refuses. Sent with successful answers too, so that clients can slow down before they are refused.

import type { Dialect } from '../model-request.ts';
import { goDuration } from '../scenario/failure.ts';
import type { Headroom, LimitState } from '../scenario/rate-limit.ts';

type Headers = Readonly<Record<string, string>>;

export function limitHeaders(dialect: Dialect, state: LimitState, now: number): Headers {
  if (dialect === 'gemini') return {};
  const write = dialect === 'anthropic' ? anthropic : openai;
  return { ...write('requests', state.requests, now), ...write('tokens', state.tokens, now) };
}

function anthropic(dimension: string, headroom: Headroom | undefined): Headers {
  if (!headroom) return {};
  const name = `anthropic-ratelimit-${dimension}`;
  return {
    [`${name}-limit`]: String(headroom.limit),
    [`${name}-remaining`]: String(headroom.remaining),
    [`${name}-reset`]: new Date(Math.ceil(headroom.resetAt / 1000) * 1000)
      .toISOString()
      .replace('.000Z', 'Z'),
  };
}

function openai(dimension: string, headroom: Headroom | undefined, now: number): Headers {
  if (!headroom) return {};
  return {
    [`x-ratelimit-limit-${dimension}`]: String(headroom.limit),
    [`x-ratelimit-remaining-${dimension}`]: String(headroom.remaining),
    [`x-ratelimit-reset-${dimension}`]: goDuration(Math.max(0, headroom.resetAt - now)),
  };
}
