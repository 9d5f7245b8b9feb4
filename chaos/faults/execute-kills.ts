// Executes a kill plan during the load. A kill waits until its fraction of the load has reached the provider, so that
// it interrupts work; if earlier kills stop all progress, it happens after a timeout. The next kill does not wait for
// the previous victim's restart, except for a second kill of the same process.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from '../installation/arena.ts';
import { planKills } from './kill-plan.ts';

export type Victim = {
  readonly name: string;
  kill(): Promise<void>;
  /** Resolves when it has been started again. */
  revive(): Promise<void>;
};

const POLL_MS = 100;
const MAX_STALL_MS = 15_000;

/** Executes the dose's kills over a load of `calls`; resolves to the victims in order once all are up again. */
export async function executeKills(
  arena: Arena,
  victims: readonly Victim[],
  load = arena.dose.jobs,
): Promise<string[]> {
  const { dose, random, signal } = arena;
  const plan = planKills(random, victims, dose.kills);
  const revivals = new Map<Victim, Promise<void>>();
  for (const { victim, atPart, downMs } of plan) {
    await untilServed(arena, Math.round(atPart * load));
    await revivals.get(victim);
    arena.progress(`kill -9 ${victim.name}`);
    await victim.kill();
    const revival = sleep(downMs, undefined, { signal }).then(() => victim.revive());
    // The restart is awaited below; without this a failure before that would be an unhandled rejection.
    revival.catch(() => {});
    revivals.set(victim, revival);
  }
  await Promise.all(revivals.values());
  return plan.map(({ victim }) => victim.name);
}

export async function untilServed({ provider, signal }: Arena, calls: number): Promise<void> {
  const stalledAt = performance.now() + MAX_STALL_MS;
  while ((await provider.stats()).requests < calls && performance.now() < stalledAt)
    await sleep(POLL_MS, undefined, { signal });
}

export function crewVictims(
  members: readonly { name: string; kill(): Promise<void>; start(): void }[],
): Victim[] {
  return members.map((member) => ({
    name: member.name,
    kill: () => member.kill(),
    revive: () => Promise.resolve(member.start()),
  }));
}

export function engineVictims({ engines }: Arena): Victim[] {
  return [engines.redis, engines.rabbitmq, engines.postgres].map((engine) => ({
    name: engine.title,
    kill: () => engine.kill(),
    revive: () => engine.restart(),
  }));
}
