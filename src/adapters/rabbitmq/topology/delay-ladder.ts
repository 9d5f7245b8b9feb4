// How a message waits for any time: a small, fixed family of queues, each of which holds every message for the
// same time and passes it on. The wait is a sum of powers of two, written in the routing key digit by digit
// (`0.0.1.0.….queue`, highest first). On each level a 1 leads into the level's queue, which dead-letters to the
// level below, and a 0 leads past it. Below the lowest level the last word of the key leads to the queue.
// Since one queue knows one time only, no message waits behind a longer one; rounding up means none is early.
//
//     level 12 (512 s) ─→ level 11 (256 s) ─→ … ─→ level 0 (125 ms) ─→ due ─→ queue
//                                                                       └→ unrouted, when there is no such queue

import { AT_LEAST_ONCE, type QueueDefinition, type QueueType } from './queue-definition.ts';

export const DEFAULT_LADDER_NAME = 'spillway-delay';
export const UNIT_MS = 125;
export const LEVELS = 13;
/** The most that fits: 17 minutes. */
export const LADDER_MAX_MS = (2 ** LEVELS - 1) * UNIT_MS;

/** A level that is full refuses the message, and its publisher hears of it. */
const MAX_MESSAGES = 500_000;
const MAX_UNROUTED = 100_000;

export type LadderLevel = {
  readonly exchange: string;
  readonly queue: QueueDefinition;
  readonly below: string;
  /** What goes into the queue, and what passes it by. */
  readonly waitKey: string;
  readonly passKey: string;
};

export type DelayLadder = {
  /** Where delayed messages are published. */
  readonly entry: string;
  /** Where they come out; each queue is bound to it by `dueKey`. */
  readonly exit: string;
  readonly unrouted: string;
  readonly unroutedQueue: QueueDefinition;
  /** From the lowest up, so that none is made before what it leads to. */
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

/** The routing key of a message for `queue` that is to wait so long; longer than the ladder is as long as it. */
export function delayKey(queue: string, delayMs: number): string {
  const units = Math.ceil(Math.min(Math.max(delayMs, 0), LADDER_MAX_MS) / UNIT_MS);
  const digits = units.toString(2).padStart(LEVELS, '0');
  return `${digits.split('').join('.')}.${queue}`;
}

/** What binds a queue to the exit. A queue's name may hold dots: they are words of the key like any other. */
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
