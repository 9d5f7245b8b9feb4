// The headroom exchange of a single-process gateway: there are no other servers to publish to.

import type { HeadroomExchange } from '../../admission/headroom-exchange.ts';

export function createMemoryHeadroomExchange(): HeadroomExchange {
  return { publish: () => {}, subscribe: () => Promise.resolve(), close: () => Promise.resolve() };
}
