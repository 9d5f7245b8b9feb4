// The loads of providers for the strategy LEAST_LOADED, from the configuration, the queues and the local copies of
// limits, circuits and headroom. On shared provider queues the messages for foreign workers count too, in addition to
// Spillway's pointers.

import type { AccountConfig, Config } from '../config/config.ts';
import { createProviderLoads, type ProviderLoads } from '../flow/jobs/provider-loads.ts';
import type { ServeParts } from '../flow/serve/serve-request.ts';
import { pointersQueueOf } from '../jobs/model/job-pointer.ts';
import type { AccountCapacity } from '../routing/provider-load.ts';
import { openIsFailing, openIsLimited } from './job-limits.ts';
import type { Queues } from './jobs/open-queue.ts';

export type LoadContext = {
  readonly queues: Pick<Queues, 'queue' | 'areShared'>;
  readonly serve: Pick<ServeParts, 'headroom' | 'breakers' | 'limits' | 'clock'>;
};

export function openProviderLoads(config: Config, { queues, serve }: LoadContext): ProviderLoads {
  const { headroom, breakers, clock } = serve;
  const isLimited = openIsLimited(config, serve);
  const isFailing = openIsFailing(breakers);

  async function depthOf(name: string): Promise<number> {
    const { queue = '' } = config.providers[name] ?? {};
    const names = queues.areShared ? [queue, pointersQueueOf(queue)] : [queue];
    const depths = await Promise.all(names.map((each) => queues.queue.depth(each)));
    return depths.reduce(
      (sum, { ready, delayed, inFlight }) => sum + ready + delayed + inFlight,
      0,
    );
  }

  function capacityOf(provider: string, account: AccountConfig): AccountCapacity {
    const { name, region, requestsPerMinute: perMinute } = account;
    const key = { provider, region, account: name };
    const views = headroom.headroomOf(key).filter((view) => view.key.account === name);
    const isUsable = !isLimited(name, { provider, model: undefined }) && !isFailing(key);
    return { perMinute, headroom: views[0]?.remainingRatio, isUsable };
  }

  return createProviderLoads({
    providers: config.dispatcher.availableProviders,
    depthOf,
    accountsOf: (provider) =>
      (config.providers[provider]?.accounts ?? []).map((account) => capacityOf(provider, account)),
    clock,
  });
}
