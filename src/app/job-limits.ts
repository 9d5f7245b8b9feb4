// The two tiers of limits on jobs, from the configuration: the dispatcher's limit of each provider account, and the account's
// own limit, of which a worker takes a permit. Both wait for the own circuit of a job's organisation first.

import type { AccountConfig, Config, ProviderConfig } from '../config/config.ts';
import type { DispatchMetrics } from '../flow/jobs/dispatch-metrics.ts';
import { createOwnCircuitWait, type OwnCircuitWait } from '../flow/jobs/own-circuit-wait.ts';
import { createWorkerMetrics } from '../flow/jobs/worker-metrics.ts';
import type { AccountLimits } from '../flow/pacing/account-pacers.ts';
import { createDispatchLimit, type DispatchLimit } from '../flow/pacing/dispatch-limit.ts';
import { createWorkerPermits } from '../flow/pacing/worker-permit.ts';
import type { ServeParts } from '../flow/serve/serve-request.ts';
import type { Job } from '../jobs/model/job.ts';
import type { JobMessage } from '../jobs/model/job-message.ts';
import type { JobPermits } from '../jobs/ports/job-permits.ts';
import { newId } from '../kernel/ids.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { estimateTokens } from '../metering/usage/token-estimate.ts';
import { accountCircuit, type CircuitKey } from '../resilience/circuit-key.ts';
import type { Limit } from '../resilience/rate-limiter.ts';
import { subjectOf } from './account-terms.ts';

/** The reservation for an answer, regardless of its stated maximum: most answers are far shorter. */
const LIKELY_OUTPUT_TOKENS = 1024;

/** Undefined when the dispatcher's check is turned off. */
export function openDispatchLimit(
  config: Config,
  { limiter, clock }: Pick<ServeParts, 'limiter' | 'clock'>,
  metrics: DispatchMetrics,
): DispatchLimit | undefined {
  if (!config.dispatcher.rateLimitEnabled) return undefined;
  const accounts = new Map(
    Object.values(config.providers).map((provider) => [
      provider.name,
      provider.accounts.map((account) => dispatchedAccount(provider, account)),
    ]),
  );
  return createDispatchLimit({ limiter, accounts, metrics, clock, newId });
}

export function openOwnCircuitWait(
  config: Config,
  breakers: ServeParts['breakers'],
): OwnCircuitWait {
  const accounts = new Map(
    Object.values(config.providers).map(({ name, accounts: own }) => [
      name,
      own.map(({ name: account, region }) => ({ provider: name, region, account })),
    ]),
  );
  return createOwnCircuitWait(breakers, (provider) => accounts.get(provider) ?? []);
}

function dispatchedAccount(provider: ProviderConfig, account: AccountConfig): AccountLimits {
  const limit: Limit = Object.freeze({
    tier: 'dispatcher',
    subject: subjectOf(provider, account),
    kind: 'requests',
    max: account.requestsPerMinute,
    windowMs: provider.windowMs + provider.limitGuardMs,
  });
  return { account: account.name, limits: [limit] };
}

/** True for an account with a learnt limit. An open circuit does not count, because the next call may be its probe. */
export function openIsLimited(
  config: Config,
  { limits }: Pick<ServeParts, 'limits'>,
): (account: string, job: Pick<Job, 'provider' | 'model'>) => boolean {
  const regions = new Map(
    Object.values(config.providers).map(({ name, accounts }) => [
      name,
      new Map(accounts.map((account) => [account.name, account.region])),
    ]),
  );
  return (account, { provider = '', model }) => {
    const region = regions.get(provider)?.get(account);
    return (
      region !== undefined && limits.active({ provider, region, account, model }) !== undefined
    );
  };
}

/** When a probe is due the account is not avoided: without a call its circuit would stay open. */
export function openIsFailing(breakers: ServeParts['breakers']): (account: CircuitKey) => boolean {
  return (account) => {
    const key = accountCircuit(account);
    return breakers.openCause(key) === 'failures' && breakers.openForMs(key) > 0;
  };
}

/** `requestsPerMinute` is RATE_LIMIT, which only a worker of one provider reads. */
export function openWorkerPermits(
  config: Config,
  serve: ServeParts,
  metrics: Metrics,
  requestsPerMinute: number | undefined,
): JobPermits {
  const { limiter, terms, clock, log } = serve;
  const isLimited = openIsLimited(config, serve);
  const accounts = new Map(
    Object.values(config.providers).map(({ name, accounts: own }) => [
      name,
      own.map(({ name: account }): AccountLimits => {
        const { limits } = terms.forAccount({ provider: name, account });
        return { account, limits: overridden(limits, requestsPerMinute) };
      }),
    ]),
  );
  return createWorkerPermits({
    limiter,
    accounts,
    tokensOf: estimatedTokens,
    isUsable: (account, job) => !isLimited(account, job),
    metrics: createWorkerMetrics(metrics, clock, log),
    clock,
    newId,
  });
}

function overridden(limits: readonly Limit[], max: number | undefined): readonly Limit[] {
  if (max === undefined) return limits;
  return limits.map((limit) =>
    limit.kind === 'requests' ? Object.freeze({ ...limit, max }) : limit,
  );
}

/** Settled with the provider's count. The estimate does not exceed a limit that is large enough for the input. */
function estimatedTokens({ prompt, request }: JobMessage, limits: readonly Limit[]): number {
  const sizes = limits.filter(({ kind }) => kind === 'tokens' || kind === 'tokens_per_day');
  if (sizes.length === 0) return 0;
  const bytes = Buffer.byteLength(prompt ?? '') + (request ? JSON.stringify(request).length : 0);
  const input = estimateTokens(bytes);
  const largest = Math.max(input, Math.min(...sizes.map(({ max }) => max)));
  return Math.min(input + LIKELY_OUTPUT_TOKENS, largest);
}
