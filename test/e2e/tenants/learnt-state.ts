// Clears everything that a gateway has learnt about its providers, as an operator does.

import { administer } from '../../support/gateway/call-rig.ts';
import type { TestGateway } from '../../support/gateway/test-gateway.ts';

type Scope = { readonly provider: string; readonly region: string };

export async function forgetLearnt(gateway: TestGateway): Promise<void> {
  for (const { provider, region } of await scopes(gateway, '/admin/limits'))
    await administer(gateway, 'DELETE', `/admin/limits/${provider}/${encodeURIComponent(region)}`);
  for (const { provider, region } of await scopes(gateway, '/admin/breakers')) {
    const path = `/admin/breakers/${provider}/${encodeURIComponent(region)}/reset`;
    await administer(gateway, 'POST', path);
  }
}

async function scopes(gateway: TestGateway, path: string): Promise<readonly Scope[]> {
  const { data } = await administer(gateway, 'GET', path);
  return data as readonly Scope[];
}
