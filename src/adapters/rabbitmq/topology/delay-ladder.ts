// The delay ladder: a fixed family of queues that delays a message for any time. Each queue delays every message by the same
// time and passes it on. The delay is a sum of powers of two, written in the routing key bit by bit (`0.0.1.0.….queue`,
// highest first). On each level a 1 routes into the level's queue, which dead-letters to the level below, and a 0 routes past
// it. Below the lowest level the rest of the key routes to the target queue. Each queue has one delay only, so there is no
// head-of-line blocking; rounding up means that no message is early.
//
//     level 12 (512 s) ─→ level 11 (256 s) ─→ … ─→ level 0 (125 ms) ─→ due ─→ queue
//                                                                       └→ unrouted, if that queue does not exist

import { AT_LEAST_ONCE, type QueueDefinition, type QueueType } from './queue-definition.ts';

export const DEFAULT_LADDER_NAME = 'spillway-delay';
export const UNIT_MS = 125;
export const LEVELS = 13;
/** The longest delay: 17 minutes. */
export const LADDER_MAX_MS = (2 ** LEVELS - 1) * UNIT_MS;

/** A full level rejects the message, so its publish fails. */
const MAX_MESSAGES = 500_000;
const MAX_UNROUTED = 100_000;

export type LadderLevel = {
  readonly exchange: string;
  readonly queue: QueueDefinition;
  readonly below: string;
  /** The bindings of messages that wait on this level, and of messages that pass it. */
  readonly waitKey: string;
  readonly passKey: string;
};

export type DelayLadder = {
  /** The exchange to which delayed messages are published. */
  readonly entry: string;
  /** The exchange of due messages; each target queue is bound to it by `dueKey`. */
  readonly exit: string;
  readonly unrouted: string;
  readonly unroutedQueue: QueueDefinition;
  /** From the lowest up: a level is declared after the one it leads to. */
  readonly levels: readonly LadderLevel[];
};

export function describeLadder(name: string, type: QueueType): DelayLadder {
  const exit = `${name}-due`;
  const levels = Array.from({ length: LEVELS }, (_, level) => describeLevel(name, level, type));
  const unrouted = `${name}-unrouted`;
  return {
    entry: exchangeOf(name, LEVELS - 1),
    exit,
    unrouted,
    unroutedQueue: {
      queue: unrouted,
      durable: true,
      arguments: { 'x-max-length': MAX_UNROUTED },
    },
    levels,
  };
}

/** The routing key of a delayed message for `queue`; a delay beyond the ladder's is cut to its longest. */
export function delayKey(queue: string, delayMs: number): string {
  const units = Math.ceil(Math.min(Math.max(delayMs, 0), LADDER_MAX_MS) / UNIT_MS);
  const digits = units.toString(2).padStart(LEVELS, '0');
  return `${digits.split('').join('.')}.${queue}`;
}

/** The binding of a target queue to the exit. Dots in its name are words of the key like any other. */
export function dueKey(queue: string): string {
  return `${'*.'.repeat(LEVELS)}${queue}`;
}

function describeLevel(name: string, level: number, type: QueueType): LadderLevel {
  const ttlMs = UNIT_MS * 2 ** level;
  const below = level === 0 ? `${name}-due` : exchangeOf(name, level - 1);
  const digitsBefore = '*.'.repeat(LEVELS - 1 - level);
  return {
    exchange: exchangeOf(name, level),
    queue: {
      queue: `${name}-${ttlMs}ms`,
      durable: true,
      arguments: {
        ...(type === 'quorum' && { ...AT_LEAST_ONCE, 'x-max-length': MAX_MESSAGES }),
        'x-message-ttl': ttlMs,
        'x-dead-letter-exchange': below,
      },
    },
    below,
    waitKey: `${digitsBefore}1.#`,
    passKey: `${digitsBefore}0.#`,
  };
}

function exchangeOf(name: string, level: number): string {
  return `${name}-${UNIT_MS * 2 ** level}ms`;
}
