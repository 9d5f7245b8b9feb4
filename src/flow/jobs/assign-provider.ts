// Assigns a provider to a job that another system put directly on a provider's queue: always that queue's provider. The
// job's model is used if the provider has it, else the provider's default.

import type { Job } from '../../jobs/model/job.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';
import type { DispatchableProvider } from './dispatch-candidates.ts';

export function createAssignProvider(
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
