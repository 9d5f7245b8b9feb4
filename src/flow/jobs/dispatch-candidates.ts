// A job's candidates: the providers and models that could serve it, in order. A caller's job goes to its model's provider
// or along its alias's chain. A caller's job that names neither model nor provider, and every raw-queue message, follows
// the strategy; a provider that does not have the message's model serves its own default model.

import type { Job } from '../../jobs/model/job.ts';
import type { ChooseOrder } from '../../routing/provider-strategy.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { ProviderLoads } from './provider-loads.ts';

export type DispatchableProvider = {
  readonly name: string;
  /** The providers with a key, each in its own region. */
  readonly accounts: readonly DispatchableAccount[];
  readonly queue: string;
  readonly hasKey: boolean;
  readonly defaultModel: string | undefined;
};

export type DispatchableAccount = { readonly name: string; readonly region: string };

export type Candidate = { readonly provider: DispatchableProvider; readonly model: string };

export type CandidateParts = {
  readonly providers: ReadonlyMap<string, DispatchableProvider>;
  readonly resolveTargets: ResolveTargets;
  readonly chooseOrder: ChooseOrder;
  /** Absent unless the strategy uses them. */
  readonly loads?: ProviderLoads | undefined;
};

/** Empty if no provider will ever serve the job. */
export async function candidatesFor(
  parts: CandidateParts,
  job: Pick<Job, 'origin' | 'provider' | 'model'>,
): Promise<readonly Candidate[]> {
  const requested = job.model === undefined ? [] : named(parts, job.model);
  if (job.origin === 'http' && job.model !== undefined) return requested;
  const wanted = job.provider ?? requested[0]?.provider.name;
  if (job.origin === 'http' && wanted !== undefined)
    return serving(parts.providers.get(wanted), requested);
  const loads = await parts.loads?.read();
  const order = parts.chooseOrder({ wanted, loadOf: (provider) => loads?.get(provider) ?? 0 });
  return order.flatMap((name) => serving(parts.providers.get(name), requested));
}

/** The targets of a model name, or of an alias's chain. Accounts of one provider are one candidate. */
function named(parts: CandidateParts, model: string): readonly Candidate[] {
  const resolution = parts.resolveTargets(model);
  if (resolution.outcome !== 'targets') return [];
  const found = new Map<string, Candidate>();
  for (const target of resolution.targets) {
    const provider = parts.providers.get(target.provider);
    const key = `${target.provider}/${target.model}`;
    if (provider && !found.has(key)) found.set(key, { provider, model: target.model });
  }
  return [...found.values()];
}

/** Another provider's model is replaced by this provider's default. */
function serving(
  provider: DispatchableProvider | undefined,
  requested: readonly Candidate[],
): Candidate[] {
  if (!provider?.hasKey) return [];
  const own = requested.find((candidate) => candidate.provider === provider);
  const model = own?.model ?? provider.defaultModel;
  return model === undefined ? [] : [{ provider, model }];
}
