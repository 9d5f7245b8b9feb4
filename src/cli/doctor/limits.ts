// Do the two tiers of limits agree? The dispatcher lets through what {PROVIDER}_RATE_LIMIT says; a worker of one provider
// may have a number of its own, RATE_LIMIT. Where they differ, jobs pile up before the worker or the provider is
// asked for more than it allows.

import type { Config, ProviderConfig } from '../../config/config.ts';
import { type DoctorCheck, ok, type Verdict, warning } from './check.ts';

export const limitsCheck: DoctorCheck = {
  name: 'limits',
  async look({ config }) {
    const complaints = [tiers(config), check(config), delay(config)];
    const told = complaints.filter((verdict) => verdict !== undefined);
    return told.length > 0 ? told : [agreement(config)];
  },
};

function agreement({ providers }: Config): Verdict {
  const known = Object.values(providers).filter(({ hasKey }) => hasKey);
  const numbers = known.map(({ name, rateLimitPerMinute }) => `${name} ${rateLimitPerMinute}`);
  if (numbers.length === 0) return ok('There is no provider to count calls of.');
  return ok(`Dispatcher and workers go by the same requests per minute: ${numbers.join(', ')}.`);
}

function tiers({ worker, dispatcher, providers }: Config): Verdict | undefined {
  const own = worker.requestsPerMinute;
  const provider = providers[dispatcher.fixedProvider];
  if (own === undefined || !provider || own === provider.rateLimitPerMinute) return undefined;
  const { name, rateLimitPerMinute } = provider;
  const difference = `RATE_LIMIT is ${own}, but the dispatcher lets ${rateLimitPerMinute} a minute through to ${name}`;
  const effect =
    own < rateLimitPerMinute
      ? 'a worker of its own puts the rest back'
      : 'a worker of its own would make more calls than that';
  return warning(
    `${difference}: ${effect}.`,
    `Unset RATE_LIMIT, or set ${variableOf(provider)} to it.`,
  );
}

function check({ dispatcher }: Config): Verdict | undefined {
  if (dispatcher.rateLimitEnabled) return undefined;
  return warning(
    'The dispatcher does not check limits (RATE_LIMIT_ENABLED is false): all that is over them waits with the workers.',
    'Set RATE_LIMIT_ENABLED to true unless this is for a short while.',
  );
}

/** What comes back too early only comes back to wait again. */
function delay({ dispatcher, providers }: Config): Verdict | undefined {
  const delayMs = dispatcher.rateLimitDelayMs;
  if (delayMs === undefined) return undefined;
  const longest = Math.max(...Object.values(providers).map(({ windowMs }) => windowMs));
  if (delayMs <= longest) return undefined;
  return warning(
    `RATE_LIMIT_DELAY_MS is ${delayMs}, longer than the longest window (${longest} ms): messages wait although there is room.`,
    'Unset RATE_LIMIT_DELAY_MS, so that each message waits exactly as long as it has to.',
  );
}

function variableOf({ name }: ProviderConfig): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_RATE_LIMIT`;
}
