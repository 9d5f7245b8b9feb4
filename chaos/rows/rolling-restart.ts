// Gateways are stopped with SIGTERM and restarted one after the other under load. Every accepted connection gets a
// whole answer: no unary call fails.

import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOutcome, callMany } from '../callers.ts';
import type { ChaosRow } from '../chaos-row.ts';
import type { Arena, Installation } from '../installation/arena.ts';
import { disagreements, isBillable } from '../judge/judge-money.ts';
import { untilNothingHeld } from '../judge/until-ended.ts';

const CALLERS = 8;
/** A rate of half the limit, so that no call is refused. */
const PART_OF_LIMIT = 0.5;
const READY_WITHIN_MS = 60_000;

export const row: ChaosRow = {
  name: 'rolling-restart',
  title: 'gateways are restarted in turn, and no unary call fails',
  order: 12,
  isInShort: false,
  async run(arena) {
    const { dose, signal, provider } = arena;
    const installation = await arena.open({ size: { gateways: 2, dispatchers: 0, workers: 0 } });
    const { crew, store } = installation;
    const pauseMs = (CALLERS * dose.windowMs) / (dose.perWindow * PART_OF_LIMIT);
    const [outcomes, restarts] = await Promise.all([
      callMany(crew.gateways, { count: dose.jobs, callers: CALLERS, signal, pauseMs }),
      restartInTurn(arena, installation),
    ]);
    await untilNothingHeld(arena, installation);
    const calls = (await provider.calls()).filter(isBillable).length;
    const money = await store.money();
    const wrong = disagreements(money);
    const failed = outcomes.filter(hasFailed);
    return {
      attempted: outcomes.length,
      acknowledged: outcomes.length - failed.length,
      lost: failed.length + Math.max(0, calls - money.records),
      duplicatedEffects: Math.max(0, money.settled - calls) + wrong.length,
      duplicatedCalls: Math.max(0, calls - outcomes.length),
      limitViolations: 0,
      overspendNanos: 0,
      notes: [`${restarts} restarts`, ...failed.slice(0, 3).map(describe), ...wrong],
    };
  },
};

async function restartInTurn(arena: Arena, { crew }: Installation): Promise<number> {
  const { dose, signal } = arena;
  for (let time = 0; time < dose.kills; time += 1) {
    const gateway = crew.gateways[time % crew.gateways.length];
    if (!gateway) return time;
    await sleep(dose.windowMs / 2, undefined, { signal });
    arena.progress(`${gateway.name} is restarted`);
    await gateway.stop();
    gateway.start();
    await gateway.untilReady(AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]));
  }
  return dose.kills;
}

function hasFailed(outcome: CallOutcome): boolean {
  return outcome.kind === 'broken' || outcome.status !== 200;
}

function describe(outcome: CallOutcome): string {
  return outcome.kind === 'broken'
    ? 'a connection broke before the answer was whole'
    : `a call was answered ${outcome.status}: ${outcome.text.slice(0, 200)}`;
}
