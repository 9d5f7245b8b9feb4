// Checks that the limits of dispatcher and worker agree. The dispatcher uses {PROVIDER}_RATE_LIMIT; a one-provider worker
// may have its own RATE_LIMIT. If they differ, jobs pile up at the worker or the provider gets more calls than allowed.

import type { Config, ProviderConfig } from '../../config/config.ts';
import { type DoctorCheck, ok, type Verdict, warning } from './check.ts';

export const limitsCheck: DoctorCheck = {
  name: 'limits',
  async inspect({ config }) {
    const checks = [tiers(config), check(config), delay(config)];
    const problems = checks.filter((verdict) => verdict !== undefined);
    return problems.length > 0 ? problems : [agreement(config)];
  },
};

function agreement({ providers }: Config): Verdict {
  const known = Object.values(providers).filter(({ hasKey }) => hasKey);
  const numbers = known.map(({ name, rateLimitPerMinute }) => `${name} ${rateLimitPerMinute}`);
  if (numbers.length === 0) return ok('No provider has a key, so there is no limit to check.');
  return ok(`Dispatcher and workers use the same requests per minute: ${numbers.join(', ')}.`);
}

function tiers({ worker, dispatcher, providers }: Config): Verdict | undefined {
  const own = worker.requestsPerMinute;
  const provider = providers[dispatcher.fixedProvider];
  if (own === undefined || !provider || own === provider.rateLimitPerMinute) return undefined;
  const { name, rateLimitPerMinute } = provider;
  const difference = `RATE_LIMIT is ${own}, but the dispatcher sends ${rateLimitPerMinute} a minute to ${name}`;
  const effect =
    own < rateLimitPerMinute
      ? 'a separate worker returns the rest to the queue'
      : 'a separate worker would make more calls than that';
  return warning(
    `${difference}: ${effect}.`,
    `Unset RATE_LIMIT, or set ${variableOf(provider)} to it.`,
  );
}

function check({ dispatcher }: Config): Verdict | undefined {
  if (dispatcher.rateLimitEnabled) return undefined;
  return warning(
    'The dispatcher does not check limits (RATE_LIMIT_ENABLED is false): jobs over the limit wait at the workers.',
    'Set RATE_LIMIT_ENABLED to true, unless this is temporary.',
  );
}

/** A shorter delay is harmless: a job that returns too early is delayed again. */
function delay({ dispatcher, providers }: Config): Verdict | undefined {
  const delayMs = dispatcher.rateLimitDelayMs;
  if (delayMs === undefined) return undefined;
  const longest = Math.max(...Object.values(providers).map(({ windowMs }) => windowMs));
  if (delayMs <= longest) return undefined;
  return warning(
    `RATE_LIMIT_DELAY_MS is ${delayMs}, longer than the longest window (${longest} ms): messages wait although slots are free.`,
    'Unset RATE_LIMIT_DELAY_MS, so that each message waits exactly until its slot opens, or set it to 15000.',
  );
}

function variableOf({ name }: ProviderConfig): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_RATE_LIMIT`;
}
