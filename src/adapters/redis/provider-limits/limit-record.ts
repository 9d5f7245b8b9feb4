// A provider limit as it stands in Redis, where operators read it and may write one by hand:
//
//   SET ai:limit:{provider}:{region}[:{model}] '{"active":true,"resetAt":1767225600000,"provider":"anthropic",
//     "region":"us-east","setBy":"ops","setAt":1767222000000,"kind":"manual"}' PXAT 1767225601000
//
// One that is written by hand is honoured when the servers next look, which they do every few seconds: at the keys of
// the configured providers and at those in the index (`ZADD ai:limits:index {resetAt} {key}`, which only a limit of
// one model needs). One that is deleted by hand is over when they next look.

import { z } from 'zod';
import type { ProviderLimit } from '../../../admission/provider-limits.ts';

export type LimitPlace = Pick<ProviderLimit, 'provider' | 'region' | 'model'>;

const KEY_START = 'ai:limit:';

export function limitKey(provider: string, region: string, model?: string): string {
  const key = `${KEY_START}${provider}:${region}`;
  return model === undefined ? key : `${key}:${model}`;
}

export function isLimitKey(key: string): boolean {
  return key.startsWith(KEY_START);
}

export function encodeLimit(limit: ProviderLimit): string {
  return JSON.stringify({ active: true, ...limit });
}

const record = z.object({
  active: z.boolean().default(true),
  resetAt: z.number().positive(),
  provider: z.string().optional(),
  region: z.string().optional(),
  model: z.string().optional(),
  setBy: z.string().catch('operator'),
  setAt: z.number().catch(0),
  kind: z.enum(['learnt', 'reported', 'manual', 'throttled']).catch('manual'),
});

/** Undefined when there is none: no record, an inactive one, or a slip of somebody's hand. */
export function decodeLimit(key: string, text: string): ProviderLimit | undefined {
  const { data } = record.safeParse(parseJson(text));
  const place = data && placeOf(key, data);
  if (!place || !data.active) return undefined;
  const { resetAt, setBy, setAt, kind } = data;
  return { ...place, resetAt, setBy, setAt, kind };
}

/** The key is what is looked up, so it decides; the record only tells where a name with a colon ends. */
function placeOf(key: string, stated: Partial<LimitPlace>): LimitPlace | undefined {
  const { provider, region, model } = stated;
  if (provider !== undefined && region !== undefined && limitKey(provider, region, model) === key)
    return place(provider, region, model);
  const parts = /^ai:limit:([^:]+):([^:]+)(?::(.+))?$/s.exec(key);
  return parts?.[1] && parts[2] ? place(parts[1], parts[2], parts[3]) : undefined;
}

function place(provider: string, region: string, model: string | undefined): LimitPlace {
  return model === undefined ? { provider, region } : { provider, region, model };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
