// Who could take a job, in the order to ask them. A job of a caller's goes to its model's provider, or through its
// alias's chain. One that names nothing, and every message of the raw queue, goes where the strategy says; where a
// message's model is not the provider's, the provider's own default model serves.

import type { Job } from '../../jobs/model/job.ts';
import type { ChooseOrder } from '../../routing/provider-strategy.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';

export type DispatchableProvider = {
  readonly name: string;
  readonly region: string;
  readonly queue: string;
  readonly hasKey: boolean;
  readonly defaultModel: string | undefined;
};

export type Candidate = { readonly provider: DispatchableProvider; readonly model: string };

export type CandidateParts = {
  readonly providers: ReadonlyMap<string, DispatchableProvider>;
  readonly resolveTargets: ResolveTargets;
  readonly chooseOrder: ChooseOrder;
  /** How busy each provider is; asked only where the strategy goes by it. */
  readonly loads?: (() => Promise<ReadonlyMap<string, number>>) | undefined;
};

/** Empty when nobody ever will. */
export async function candidatesFor(
  parts: CandidateParts,
  job: Pick<Job, 'origin' | 'provider' | 'model'>,
): Promise<readonly Candidate[]> {
  const asked = job.model === undefined ? [] : named(parts, job.model);
  if (job.origin === 'http' && job.model !== undefined) return asked;
  const wanted = job.provider ?? asked[0]?.provider.name;
  if (job.origin === 'http' && wanted !== undefined)
    return serving(parts.providers.get(wanted), asked);
  const loads = await parts.loads?.();
  const order = parts.chooseOrder({ wanted, loadOf: (provider) => loads?.get(provider) ?? 0 });
  return order.flatMap((name) => serving(parts.providers.get(name), asked));
}

/** What the name means: one provider, or for an alias all of its chain. Accounts of a provider are one place to go. */
function named(parts: CandidateParts, model: string): readonly Candidate[] {
  const resolution = parts.resolveTargets(model);
  if (resolution.outcome !== 'targets') return [];
  const places = new Map<string, Candidate>();
  for (const target of resolution.targets) {
    const provider = parts.providers.get(target.provider);
    const key = `${target.provider}/${target.model}`;
    if (provider && !places.has(key)) places.set(key, { provider, model: target.model });
  }
  return [...places.values()];
}

/** A model of another provider's is replaced by this one's own. */
function serving(
  provider: DispatchableProvider | undefined,
  asked: readonly Candidate[],
): Candidate[] {
  if (!provider?.hasKey) return [];
  const own = asked.find((candidate) => candidate.provider === provider);
  const model = own?.model ?? provider.defaultModel;
  return model === undefined ? [] : [{ provider, model }];
}
