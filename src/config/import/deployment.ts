// A deployment of a peer: a model at an address, with a key and its limits.

import type { Credential } from './credentials.ts';
import type { LimitsDraft } from './draft.ts';
import type { Endpoint } from './endpoints.ts';

export type Deployment = {
  readonly endpoint: Endpoint;
  /** The address in the peer's file, if it is not the vendor's. */
  readonly baseUrl?: string | undefined;
  /** The vendor's name of the model; `*` for all of them. */
  readonly model: string;
  readonly credential: Credential;
  readonly accountName?: string | undefined;
  /** The peer's own name of a provider: its deployments become one provider of that name and share their limits. */
  readonly provider?: string | undefined;
  readonly limits: LimitsDraft;
};

/** Whether the deployment is called in the vendor's own wire format. */
export function isNative({ endpoint, model }: Deployment): boolean {
  return endpoint.nativeFormat !== undefined && !/embed/i.test(model);
}
