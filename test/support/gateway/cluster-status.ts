// The cluster as a server's operator sees it, for tests with several gateways.

import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import {
  capacityView,
  clusterStatusView,
  detailedHealth,
} from '../../../src/http/schemas/cluster.ts';
import { administer } from './call-rig.ts';

export type Operated = { readonly url: string; readonly adminKey: string };
export type ClusterView = z.infer<typeof clusterStatusView>;
export type ServerView = ClusterView['servers'][number];

const POLL_MS = 100;

export async function statusOf(server: Operated): Promise<ClusterView> {
  return clusterStatusView.parse(await administer(server, 'GET', '/cluster/status'));
}

export async function healthOf(server: Operated): Promise<z.infer<typeof detailedHealth>> {
  return detailedHealth.parse(await administer(server, 'GET', '/health/detailed'));
}

export async function capacityAt(server: Operated): Promise<z.infer<typeof capacityView>['data']> {
  return capacityView.parse(await administer(server, 'GET', '/health/capacity')).data;
}

export async function serverAt(server: Operated, id: string): Promise<ServerView | undefined> {
  return (await statusOf(server)).servers.find((each) => each.id === id);
}

/** Resolves when the claim holds for a status of that server; rejects with the last status after the time limit. */
export async function untilStatus(
  server: Operated,
  claim: (status: ClusterView) => boolean,
  timeoutMs: number,
): Promise<ClusterView> {
  const lateAt = Date.now() + timeoutMs;
  for (;;) {
    const status = await statusOf(server);
    if (claim(status)) return status;
    if (Date.now() > lateAt)
      throw new Error(`still false: ${claim.toString()} of ${JSON.stringify(status)}`);
    await sleep(POLL_MS);
  }
}
