// The three ways to a queue: at once, after an exact wait by the ladder, after a fixed wait by a queue of its own.

import type { Clock } from '../../kernel/clock.ts';
import { delayKey } from './delay-ladder.ts';
import type { Address } from './outgoing-message.ts';
import { fixedDelayQueue } from './queue-definition.ts';
import type { Topology } from './topology.ts';

/** Makes sure that what a message has to pass is there, and says where to publish it. */
export type Route = (topology: Topology) => Promise<Address>;

export function straightTo(queue: string): Route {
  return async (topology) => {
    await topology.queue(queue);
    return { exchange: '', routingKey: queue };
  };
}

/** The wait is reckoned when the message is sent: what publishing has taken so far is part of it. */
export function dueAtQueue(queue: string, dueAt: number, clock: Clock): Route {
  return async (topology) => {
    const exchange = await topology.delayed(queue);
    return { exchange, routingKey: delayKey(queue, dueAt - clock.now()) };
  };
}

export function afterFixedDelay(queue: string, delayMs: number): Route {
  return async (topology) => {
    await topology.fixedDelay(queue, delayMs);
    return { exchange: '', routingKey: fixedDelayQueue(queue, delayMs, 'classic').queue };
  };
}
