// Servers that share their circuits on one real Redis, and the steps that tests make with them.

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
import type { CircuitKey } from '../../../src/resilience/circuit-key.ts';
import { ask, CONTRACT_RULES } from '../../contract/breaker-board.ts';
import type { RedisRig } from '../stores/redis-rig.ts';

export const CIRCUIT: CircuitKey = { provider: 'anthropic', region: 'us-east' };
const PASS: BreakerPass = { key: CIRCUIT, probe: undefined };

export type BreakerServer = {
  readonly board: RedisBreakerBoard;
  readonly link: RedisLink;
  readonly transitions: CircuitTransition[];
};

export async function openBreakerServer(
  rig: RedisRig,
  rules = CONTRACT_RULES,
  { patienceMs = 5000, leaseMs = 15_000, link = rig.open() } = {},
): Promise<BreakerServer> {
  await link.ready(patienceMs);
  const transitions: CircuitTransition[] = [];
  const board = await openRedisBreakerBoard({
    link,
    clock: systemClock,
    rules,
    keyPrefix: 'test:',
    newProbeId: () => newId('att'),
    longestCallMs: 600_000,
    leaseMs,
    onTransition: (transition) => void transitions.push(transition),
  });
  return { board, link, transitions };
}

/** For the contract: time really passes. */
export async function openForContract(rig: RedisRig, rules = CONTRACT_RULES, patienceMs = 5000) {
  const { board, transitions } = await openBreakerServer(rig, rules, { patienceMs });
  return {
    board,
    transitions,
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
  return board.isClosed(CIRCUIT);
}

/** Resolves with a pass as soon as this server is granted one. */
export async function probe({ board }: BreakerServer, organization?: string): Promise<BreakerPass> {
  for (;;) {
    const answer = await ask(board, CIRCUIT, organization);
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

/** Calls whenever allowed; every call has the same outcome. */
export async function callUntil(
  { board }: BreakerServer,
  over: AbortSignal,
  health: CallHealth,
): Promise<void> {
  while (!over.aborted) {
    const answer = await ask(board, CIRCUIT);
    if (answer.isAllowed) board.report(answer.pass, health);
    await sleep(systemClock, 1);
  }
}

/** One server's connection to Redis, which a test can cut while the other servers keep theirs. */
export function cuttable(link: RedisLink) {
  let isCut = false;
  const whenUp: (() => void)[] = [];
  const refuse = () => Promise.reject(new Error('the connection is cut'));
  const cutLink: RedisLink = {
    ...link,
    isUp: () => !isCut && link.isUp(),
    run: (ask, limitMs) => (isCut ? refuse() : link.run(ask, limitMs)),
    runInBackground: (ask) => (isCut ? refuse() : link.runInBackground(ask)),
    onUp(fn) {
      whenUp.push(fn);
      link.onUp(fn);
    },
    subscribe: (channel, subscriber) =>
      link.subscribe(channel, {
        onSubscribed: () => subscriber.onSubscribed(),
        onMessage: (message) => (isCut ? undefined : subscriber.onMessage(message)),
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
