// Decides whether a process may run without a provider key. Only `serve` on embedded storage and a loopback address may:
// it uses the simulator, so that a fresh clone works. Any other server without a key would accept work that it can
// never do, so it does not start.

import type { Config, ProviderConfig } from '../config.ts';
import { ConfigError, showValue } from '../config-error.ts';
import { deepFreeze } from '../freeze.ts';
import { withoutPrototype } from '../lookup.ts';
import { KEY_VARIABLES } from '../schema/variables.ts';
import { BUILT_IN_NAMES } from './built-in-providers.ts';

export type Role = 'serve' | 'gateway' | 'dispatcher' | 'worker';

export function usesSimulator(config: Config, { role }: { role: Role }): boolean {
  return !hasAnyKey(config) && reasonForKey(config, role) === undefined;
}

export function assertProviders(config: Config, { role }: { role: Role }): void {
  const reason = reasonForKey(config, role);
  if (hasAnyKey(config) || reason === undefined) return;
  throw new ConfigError(
    `A server ${reason} needs a provider key, but none of ${KEY_VARIABLES.join(', ')} and no key of a provider in the file is set.`,
  );
}

/** The configuration with the simulator at `origin` in place of the three built-in providers. */
export function withSimulator(config: Config, origin: string): Config {
  const simulated = (provider: ProviderConfig): ProviderConfig => ({
    ...provider,
    baseUrl: provider.format === 'openai' ? `${origin}/v1` : origin,
    hasKey: true,
    accounts: [
      {
        name: 'default',
        apiKey: 'simulator',
        region: provider.region,
        tier: undefined,
        requestsPerMinute: provider.rateLimitPerMinute,
        tokensPerMinute: undefined,
        tokensPerDay: undefined,
      },
    ],
  });
  const { anthropic, openai, gemini } = config.providers;
  const { availableProviders } = config.dispatcher;
  return deepFreeze({
    ...config,
    dispatcher: {
      ...config.dispatcher,
      availableProviders: availableProviders.length > 0 ? availableProviders : BUILT_IN_NAMES,
    },
    providers: withoutPrototype({
      ...config.providers,
      anthropic: simulated(anthropic),
      openai: simulated(openai),
      gemini: simulated(gemini),
    }),
  });
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hasAnyKey(config: Config): boolean {
  return Object.values(config.providers).some((provider) => provider.hasKey);
}

function reasonForKey({ server, storage }: Config, role: Role): string | undefined {
  if (role !== 'serve') return `in the role ${showValue(role)}`;
  if (storage.databaseUrl !== undefined) return 'with DATABASE_URL';
  if (storage.redisUrl !== undefined) return 'with REDIS_URL';
  if (!isLoopback(server.host)) return `on HOST ${showValue(server.host)}, which is not loopback,`;
  return undefined;
}
