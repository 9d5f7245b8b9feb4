// Callers disconnect during a stream. The gateway aborts the provider's stream, settles the streamed part once, and
// leaves no reservation.

import { callBody } from '../callers.ts';
import type { ChaosRow, RowFinding } from '../chaos-row.ts';
import type { Arena, Installation } from '../installation/arena.ts';
import { UNLIMITED_SCENARIO } from '../installation/arena.ts';
import { CALLER_KEY } from '../installation/installation-settings.ts';
import { disagreements, isBillable } from '../judge/judge-money.ts';
import { untilNothingHeld } from '../judge/until-ended.ts';

const CALLERS = 20;

export const row: ChaosRow = {
  name: 'client-gone',
  title: 'callers disconnect in the middle of a stream',
  order: 11,
  isInShort: false,
  async run(arena) {
    const { dose, provider } = arena;
    const installation = await arena.open({ size: { gateways: 2, dispatchers: 0, workers: 0 } });
    await provider.play({ ...UNLIMITED_SCENARIO, chunks: 8, chunkDelayMs: 50 });
    const count = Math.min(dose.jobs, dose.perWindow);
    arena.progress(`${count} callers leave`);
    const began = await leaveMany(arena, installation, count);
    await untilNothingHeld(arena, installation);
    return judge(arena, installation, count, began);
  },
};

/** The number of callers that had received part of the answer before they disconnected. */
async function leaveMany(
  { signal, random }: Arena,
  { crew }: Installation,
  count: number,
): Promise<number> {
  let begun = 0;
  let began = 0;
  const leaveOn = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const url = crew.gateways[begun % crew.gateways.length]?.url ?? '';
      if (await listenAndLeave(url, random.between(1, 4), signal)) began += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, leaveOn));
  return began;
}

async function listenAndLeave(url: string, reads: number, signal: AbortSignal): Promise<boolean> {
  const leaving = new AbortController();
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': CALLER_KEY, 'content-type': 'application/json' },
    body: callBody('A long story', true),
    signal: AbortSignal.any([signal, leaving.signal]),
  });
  const reader = answer.body?.getReader();
  for (let read = 0; read < reads; read += 1) {
    if ((await reader?.read())?.done !== false) break;
  }
  leaving.abort();
  return answer.status === 200;
}

async function judge(
  { provider }: Arena,
  { store }: Installation,
  attempted: number,
  began: number,
): Promise<RowFinding> {
  const calls = await provider.calls();
  const money = await store.money();
  const wrong = disagreements(money);
  const running = calls.filter(({ outcome }) => outcome === 'pending').length;
  const billable = calls.filter(isBillable).length;
  return {
    attempted,
    acknowledged: began,
    lost: Math.max(0, billable - money.records) + running,
    duplicatedEffects: Math.max(0, money.records - calls.length) + wrong.length,
    duplicatedCalls: Math.max(0, calls.length - attempted),
    limitViolations: 0,
    overspendNanos: 0,
    notes: [
      `${calls.filter(({ abortedAt }) => abortedAt !== null).length} calls were stopped at the provider`,
      ...(running > 0 ? [`${running} calls are still running`] : []),
      ...wrong,
    ],
  };
}
