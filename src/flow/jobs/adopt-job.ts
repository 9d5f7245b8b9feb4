// Whose a message is that another system put straight onto a provider's queue: that provider's, whatever it says itself.
// Its model serves where the provider has it, else the provider's default.

import type { Job } from '../../jobs/model/job.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { DispatchableProvider } from './dispatch-candidates.ts';

export function createAdoptJob(
  { name, defaultModel }: Pick<DispatchableProvider, 'name' | 'defaultModel'>,
  resolveTargets: ResolveTargets,
): (job: Job) => Job {
  return (job) => ({ ...job, provider: name, model: ownModel(job.model) ?? defaultModel });

  function ownModel(model: string | undefined): string | undefined {
    const resolution = model === undefined ? undefined : resolveTargets(model);
    if (resolution?.outcome !== 'targets') return undefined;
    return resolution.targets.find((target) => target.provider === name)?.model;
  }
}
