// The credential exchange of a single-process gateway: there are no other servers to publish to.

import type { CredentialExchange } from '../../admission/credentials/credential-exchange.ts';

export function createMemoryCredentialExchange(): CredentialExchange {
  return { publish: () => {}, subscribe: () => Promise.resolve(), close: () => Promise.resolve() };
}
