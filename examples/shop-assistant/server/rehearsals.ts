// Bad days on demand: the simulator that stands in for the provider plays them.

import type { Spillway } from './spillway.ts';

const SCENARIOS: Readonly<Record<string, object | undefined>> = {
  fine: undefined,
  busy: { provider: 'anthropic', preset: 'rate-limit', retryAfterMs: 12_000, times: 1 },
  limit: { provider: 'anthropic', preset: 'usage-limit' },
  broken: { provider: 'anthropic', preset: 'cut', times: 1 },
  slow: { provider: 'anthropic', preset: 'slow-stream', tokensPerSecond: 5, outputTokens: 200 },
};
const MAX_SECONDS = 3600;

/** `day`: a name of the table; `seconds`: how long a limit lasts. */
export async function rehearse(
  spillway: Spillway,
  { day, seconds = 45 }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const scenario = SCENARIOS[String(day)];
  await spillway.operate('/admin/simulator/scenario', { method: 'DELETE' });
  if (day === 'fine') await endLimits(spillway);
  if (!scenario) return;
  const resetInSeconds = Math.min(MAX_SECONDS, Math.max(1, Number(seconds) || 1));
  const body = day === 'limit' ? { ...scenario, resetInSeconds } : scenario;
  await spillway.operate('/admin/simulator/scenario', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The gateway remembers a provider's limit until its reset. */
async function endLimits(spillway: Spillway): Promise<void> {
  const answer = await spillway.operate('/admin/limits');
  const limits = (await answer.json()) as LimitList;
  for (const { provider, region } of limits.data)
    await spillway.operate(`/admin/limits/${provider}/${region}`, { method: 'DELETE' });
}

type LimitList = {
  readonly data: readonly { readonly provider: string; readonly region: string }[];
};
