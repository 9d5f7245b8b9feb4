// The three routes to a queue: direct, after an exact delay through the delay ladder, and after a fixed delay through a delay
// queue.

import type { Clock } from '../../../kernel/clock.ts';
import { delayKey } from '../topology/delay-ladder.ts';
import { fixedDelayQueue } from '../topology/queue-definition.ts';
import type { Topology } from '../topology/topology.ts';
import type { Address } from './outgoing-message.ts';

export type Route = {
  /** The address, if every queue and exchange on the route is known to exist. */
  known(topology: Topology): Address | undefined;
  /** Declares the route and returns its address. */
  prepare(topology: Topology): Promise<Address>;
};

export function directTo(queue: string): Route {
  return new DirectRoute(queue);
}

/** The delay is computed when the message is sent, so time spent on retries is part of it. */
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

/** Most messages take this route: a class allocates less per message than closures. */
class DirectRoute implements Route {
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
