// `usage_limits` and `rate_limits` of Portkey's keys, providers and workspaces.

import { monthlyBudget, perMinute, tokenLimit } from '../amounts.ts';
import type { LimitsDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, PeerMap } from '../peer-map.ts';
import { USAGE } from './left-out-keys.ts';

const PERIODS: Readonly<Record<string, string>> = { weekly: '1w', monthly: '1M', daily: '1d' };

/** US dollars per month, reported under `to`. */
export function readUsageLimits(
  owner: PeerMap,
  to: string,
  { findings }: ImportContext,
): number | undefined {
  const node = owner.get('usage_limits');
  const [first, ...others] = node?.items ?? (node ? [node] : []);
  for (const other of others) findings.leftOut(other, 'there is one budget per month');
  if (!first) return undefined;
  const usage = new PeerMap(first, findings);
  const kind = usage.text('type');
  if (kind && kind.value !== 'cost') {
    findings.leftOut(first, 'a budget counts US dollars; limit tokens with rate_limits');
    return undefined;
  }
  const limit = usage.number('credit_limit');
  const reset = usage.text('periodic_reset');
  const days = usage.number('periodic_reset_days');
  const period = days ? `${days.value}d` : reset && (PERIODS[reset.value] ?? reset.value);
  const converted = limit && monthlyBudget(limit.value, period);
  if (!limit || !converted) {
    findings.leftOut(first, 'it has no credit_limit, or its period is not known');
    return undefined;
  }
  for (const read of [kind, limit, reset, days])
    if (read && converted.reason === undefined) findings.taken(read.node, to);
    else if (read) findings.changed(read.node, to, converted.reason ?? '');
  usage.close(USAGE);
  return converted.amount;
}

const UNITS: Readonly<Record<string, string>> = {
  rps: '1s',
  rpm: '1m',
  rph: '1h',
  rpd: '1d',
  rpw: '1w',
};

const LIMIT = leftOutKeys({ 'a note of Portkey': 'id object status' });

/** `allowed` names the limits that the owner can have; others are reported. */
export function readRateLimits(
  owner: PeerMap,
  to: string,
  allowed: readonly (keyof LimitsDraft)[],
  { findings }: ImportContext,
): LimitsDraft {
  const limits: { -readonly [K in keyof LimitsDraft]: number } = {};
  for (const entry of owner.maps('rate_limits')) {
    const [type, unit, value] = [entry.text('type'), entry.text('unit'), entry.number('value')];
    const period = unit && UNITS[unit.value];
    const read = value && period && readLimit(type?.value, value.value, period);
    if (!read || !allowed.includes(read.setting)) {
      findings.leftOut(entry.node, read ? NO_TOKENS : 'it is not a limit of requests or tokens');
      continue;
    }
    limits[read.setting] = Math.min(read.amount, limits[read.setting] ?? read.amount);
    if (read.reason === undefined) findings.taken(entry.node, `${to}: ${read.setting}`);
    else findings.changed(entry.node, `${to}: ${read.setting}`, read.reason);
    entry.close(LIMIT);
  }
  return limits;
}

const NO_TOKENS = 'tokens are limited for organisations and accounts, not for keys';

function readLimit(type: string | undefined, value: number, period: string) {
  if (type === 'tokens') return tokenLimit(value, period);
  const converted = type === 'requests' ? perMinute(value, period) : undefined;
  return converted && { setting: 'requestsPerMinute' as const, ...converted };
}
