// The exchange of a gateway that is one process: there is nobody to tell.

import type { HeadroomExchange } from '../../admission/headroom-exchange.ts';

export function createMemoryHeadroomExchange(): HeadroomExchange {
  return { tell: () => {}, listen: () => Promise.resolve(), close: () => Promise.resolve() };
}
