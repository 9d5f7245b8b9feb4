// Servers that share their circuits on one real Redis, and what tests do with them.

import {
  openRedisBreakerBoard,
  type RedisBreakerBoard,
} from '../../../src/adapters/redis/breakers/breaker-board.ts';
import type { RedisLink } from '../../../src/adapters/redis/connection/open-redis.ts';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type {
  BreakerPass,
  CallHealth,
  CircuitTransition,
} from '../../../src/resilience/breaker-board.ts';
import { ask, CONTRACT_RULES } from '../../contract/breaker-board.ts';
import type { RedisRig } from '../stores/redis-rig.ts';

export const PLACE = { provider: 'anthropic', region: 'us-east' };
const PASS: BreakerPass = { ...PLACE, probe: undefined };

export type BreakerServer = {
  readonly board: RedisBreakerBoard;
  readonly link: RedisLink;
  readonly moves: CircuitTransition[];
};

export async function openBreakerServer(
  rig: RedisRig,
  rules = CONTRACT_RULES,
  { patienceMs = 5000, leaseMs = 15_000, link = rig.open() } = {},
): Promise<BreakerServer> {
  await link.ready(patienceMs);
  const moves: CircuitTransition[] = [];
  const board = await openRedisBreakerBoard({
    link,
    clock: systemClock,
    rules,
    keyPrefix: 'test:',
    newProbeId: () => newId('att'),
    longestCallMs: 600_000,
    leaseMs,
    onMove: (move) => void moves.push(move),
  });
  return { board, link, moves };
}

/** For the contract: time really passes. */
export async function openForContract(rig: RedisRig, rules = CONTRACT_RULES, patienceMs = 5000) {
  const { board, moves } = await openBreakerServer(rig, rules, { patienceMs });
  return {
    board,
    moves,
    now: () => systemClock.now(),
    pass: (ms: number) => sleep(systemClock, ms + 2),
    settled: () => board.settled(),
    close: () => board.close(),
  };
}

export function call(
  { board }: BreakerServer,
  times: number,
  health: CallHealth = 'failure',
): Promise<void> {
  for (let made = 0; made < times; made += 1) board.report(PASS, health);
  return board.settled();
}

export function isClosed({ board }: BreakerServer): boolean {
  return board.isClosed(PLACE.provider, PLACE.region);
}

/** Resolves when this server may make a call, as soon as it may. */
export async function probe({ board }: BreakerServer): Promise<BreakerPass> {
  for (;;) {
    const answer = await ask(board, PLACE.provider, PLACE.region);
    if (answer.isAllowed) return answer.pass;
    await sleep(systemClock, 5);
  }
}

export async function end(
  { board }: BreakerServer,
  pass: BreakerPass,
  health: CallHealth,
): Promise<void> {
  board.report(pass, health);
  await board.settled();
}

/** Calls whenever it may, and every call ends like this. */
export async function callUntil(
  { board }: BreakerServer,
  over: AbortSignal,
  health: CallHealth,
): Promise<void> {
  while (!over.aborted) {
    const answer = await ask(board, PLACE.provider, PLACE.region);
    if (answer.isAllowed) board.report(answer.pass, health);
    await sleep(systemClock, 1);
  }
}

/** The line of one server to Redis, that can be cut while the others keep theirs. */
export function cuttable(link: RedisLink) {
  let isCut = false;
  const whenUp: (() => void)[] = [];
  const refuse = () => Promise.reject(new Error('the line is cut'));
  const cutLink: RedisLink = {
    ...link,
    isUp: () => !isCut && link.isUp(),
    run: (ask, limitMs) => (isCut ? refuse() : link.run(ask, limitMs)),
    runPatiently: (ask) => (isCut ? refuse() : link.runPatiently(ask)),
    onUp(fn) {
      whenUp.push(fn);
      link.onUp(fn);
    },
    subscribe: (channel, subscriber) =>
      link.subscribe(channel, {
        begin: () => subscriber.begin(),
        hear: (message) => (isCut ? undefined : subscriber.hear(message)),
      }),
  };
  return {
    link: cutLink,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      for (const fn of whenUp) fn();
    },
  };
}
