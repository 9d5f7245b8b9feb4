// The record of a provider limit in Redis, which operators may read and write:
//
//   SET ai:limit:{provider}:{region}[/{account}][:{model}] '{"active":true,"resetAt":1767225600000,
//     "provider":"anthropic","region":"us-east","setBy":"ops","setAt":1767222000000,"kind":"manual"}' PXAT 1767225601000
//
// The servers read the keys of the configured providers and the keys in the index every few seconds. A record that an
// operator writes takes effect then (a limit of one model also needs `ZADD ai:limits:index {resetAt} {key}`), and one
// that an operator deletes ends then.

import { z } from 'zod';
import type { ProviderLimit } from '../../../admission/provider-limits.ts';
import {
  type CircuitKey,
  circuitId,
  parseCircuitLabel,
  parseRegionLabel,
  regionLabel,
  withModel,
} from '../../../resilience/circuit-key.ts';

const KEY_START = 'ai:limit:';

export function limitKey(key: CircuitKey): string {
  return KEY_START + circuitId(key);
}

export function isLimitKey(key: string): boolean {
  return key.startsWith(KEY_START);
}

/** `region` also names the account, as it does in the key. */
export function encodeLimit(limit: ProviderLimit): string {
  const { provider, model, resetAt, setBy, setAt, kind, requestId } = limit;
  const region = regionLabel(limit);
  const stated = { resetAt, setBy, setAt, kind, requestId };
  return JSON.stringify({ active: true, provider, region, model, ...stated });
}

const record = z.object({
  active: z.boolean().default(true),
  resetAt: z.number().positive(),
  provider: z.string().optional(),
  region: z.string().optional(),
  model: z.string().optional(),
  setBy: z.string().catch('operator'),
  setAt: z.number().catch(0),
  kind: z.enum(['learnt', 'credit', 'reported', 'manual', 'throttled']).catch('manual'),
  requestId: z.string().optional().catch(undefined),
});

/** Undefined for no record, an inactive one, and text that is not a record. */
export function decodeLimit(key: string, text: string): ProviderLimit | undefined {
  const { data } = record.safeParse(parseJson(text));
  const scope = data && scopeOf(key, data);
  if (!scope || !data.active) return undefined;
  const { resetAt, setBy, setAt, kind, requestId } = data;
  const limit = { ...scope, resetAt, setBy, setAt, kind };
  return requestId === undefined ? limit : { ...limit, requestId };
}

/** Lookups use the Redis key, so it decides; the record only shows where a name that contains a colon ends. */
function scopeOf(redisKey: string, stated: z.infer<typeof record>): CircuitKey | undefined {
  const { provider, region, model } = stated;
  if (provider !== undefined && region !== undefined) {
    const key = withModel(parseRegionLabel(provider, region), model);
    if (limitKey(key) === redisKey) return key;
  }
  const [, owner, label] = /^ai:limit:([^:]+):([^:].*)$/s.exec(redisKey) ?? [];
  return owner && label ? parseCircuitLabel(owner, label) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
