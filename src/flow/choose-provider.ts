// Where does a job go? A job with a model goes to that model's provider; one without, and every message of
// the raw queue, goes where the strategy says, past providers that are limited when another can take it.

import type { ProviderLimits } from '../admission/provider-limits.ts';
import type { ErrorParams } from '../errors/codes.ts';
import type { ChooseProvider, ProviderChoice } from '../jobs/dispatch-job.ts';
import type { Job } from '../jobs/job.ts';
import type { ChooseOrder } from '../routing/provider-strategy.ts';
import type { ModelResolver } from '../routing/resolve-model.ts';

export type DispatchableProvider = {
  readonly name: string;
  readonly region: string;
  readonly queue: string;
  readonly hasKey: boolean;
  readonly defaultModel: string | undefined;
};

export type ChooseParts = {
  readonly providers: ReadonlyMap<string, DispatchableProvider>;
  readonly resolveModel: ModelResolver;
  readonly chooseOrder: ChooseOrder;
  readonly overflow: 'next' | 'delay';
  readonly limits: ProviderLimits;
  /** How busy each provider is; asked only where the strategy goes by it. */
  readonly loads?: (() => Promise<ReadonlyMap<string, number>>) | undefined;
};

type Candidate = { readonly provider: DispatchableProvider; readonly model: string };

export function createChooseProvider(parts: ChooseParts): ChooseProvider {
  return async (job) => {
    const candidates = candidatesFor(parts, job, await parts.loads?.());
    const first = candidates[0];
    if (!first) return refuse(job.model === undefined ? {} : { field: 'model' });
    const free =
      parts.overflow === 'next'
        ? candidates.find((candidate) => !limitOf(parts, candidate))
        : undefined;
    return route(parts, free ?? first);
  };
}

function candidatesFor(
  parts: ChooseParts,
  job: Job,
  loads: ReadonlyMap<string, number> | undefined,
): readonly Candidate[] {
  const asked = job.model === undefined ? undefined : named(parts, job.model);
  if (job.origin === 'http' && job.model !== undefined) return asked ? [asked] : [];
  const wanted = job.provider ?? asked?.provider.name;
  if (job.origin === 'http' && wanted !== undefined)
    return [parts.providers.get(wanted)].flatMap((each) => serving(each, asked));
  const order = parts.chooseOrder({ wanted, loadOf: (provider) => loads?.get(provider) ?? 0 });
  return order.flatMap((name) => serving(parts.providers.get(name), asked));
}

function named(parts: ChooseParts, model: string): Candidate | undefined {
  const resolution = parts.resolveModel(model);
  if (resolution.outcome !== 'target') return undefined;
  const provider = parts.providers.get(resolution.target.provider);
  return provider && { provider, model: resolution.target.model };
}

/** A model of another provider's is replaced by this one's own. */
function serving(
  provider: DispatchableProvider | undefined,
  asked: Candidate | undefined,
): Candidate[] {
  if (!provider?.hasKey) return [];
  const model = asked?.provider === provider ? asked.model : provider.defaultModel;
  return model === undefined ? [] : [{ provider, model }];
}

function limitOf({ limits }: ChooseParts, { provider, model }: Candidate): number | undefined {
  return limits.active(provider.name, provider.region, model)?.resetAt;
}

function route(parts: ChooseParts, candidate: Candidate): ProviderChoice {
  const { provider, model } = candidate;
  const runAt = limitOf(parts, candidate);
  const wait = runAt === undefined ? {} : ({ runAt, waitCode: 'AI_LIMIT_REACHED' } as const);
  return { kind: 'route', provider: provider.name, queue: provider.queue, model, ...wait };
}

function refuse(params: ErrorParams): ProviderChoice {
  return { kind: 'refuse', verdict: { code: 'INVALID_REQUEST', params, retryable: false } };
}
