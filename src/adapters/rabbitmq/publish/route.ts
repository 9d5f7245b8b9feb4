// The three ways to a queue: at once, after an exact wait by the ladder, after a fixed wait by a queue of its own.

import type { Clock } from '../../../kernel/clock.ts';
import { delayKey } from '../topology/delay-ladder.ts';
import { fixedDelayQueue } from '../topology/queue-definition.ts';
import type { Topology } from '../topology/topology.ts';
import type { Address } from './outgoing-message.ts';

export type Route = {
  /** Where to publish a message, if what it has to pass is known to be there. */
  known(topology: Topology): Address | undefined;
  /** Makes sure that it is. */
  prepare(topology: Topology): Promise<Address>;
};

export function straightTo(queue: string): Route {
  return new StraightTo(queue);
}

/** The wait is reckoned when the message is sent: what publishing has taken so far is part of it. */
export function dueAtQueue(queue: string, dueAt: number, clock: Clock): Route {
  const by = (exchange: string) => {
    return { exchange, routingKey: delayKey(queue, dueAt - clock.now()) };
  };
  return {
    known(topology) {
      const entry = topology.knownEntryTo(queue);
      return entry === undefined ? undefined : by(entry);
    },
    prepare: async (topology) => by(await topology.delayed(queue)),
  };
}

export function afterFixedDelay(queue: string, delayMs: number): Route {
  const address = { exchange: '', routingKey: fixedDelayQueue(queue, delayMs, 'classic').queue };
  return {
    known: (topology) => (topology.isKnown(address.routingKey) ? address : undefined),
    async prepare(topology) {
      await topology.fixedDelay(queue, delayMs);
      return address;
    },
  };
}

/** The way of most messages: a class costs each of them less than functions of its own. */
class StraightTo implements Route {
  readonly #address: Address;

  constructor(queue: string) {
    this.#address = { exchange: '', routingKey: queue };
  }

  known(topology: Topology): Address | undefined {
    return topology.isKnown(this.#address.routingKey) ? this.#address : undefined;
  }

  async prepare(topology: Topology): Promise<Address> {
    await topology.queue(this.#address.routingKey);
    return this.#address;
  }
}
