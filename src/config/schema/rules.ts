// Rules over more than one setting, one sentence each. They run once, after every value has been parsed. Rules that
// depend on the role of the process are in simulator-stand-in.ts and shared-services.ts.

import type { Config } from '../config.ts';
import { ConfigError, showName, showValue } from '../config-error.ts';
import { SETTINGS } from './settings.ts';
import { providerVariables, SECTION_VARIABLES } from './variables.ts';

type Rule = (config: Config) => string | undefined;

export function checkRules(config: Config): void {
  for (const rule of RULES) {
    const sentence = rule(config);
    if (sentence !== undefined) throw new ConfigError(sentence);
  }
}

const RULES: readonly Rule[] = [
  function aSharedStoreNeedsAnAdminKey({ storage, auth }) {
    if (storage.databaseUrl === undefined || auth.adminKey !== undefined) return undefined;
    return 'SPILLWAY_ADMIN_KEY is not set, but it must be when DATABASE_URL is, so that all servers share one.';
  },
  function routingNeedsASecret({ cluster }) {
    if (!cluster.routingEnabled || (cluster.interServerSecrets ?? []).length > 0) return undefined;
    return 'INTER_SERVER_SECRET is not set, but it must be 32 bytes or more when ENABLE_MULTI_SERVER_ROUTING is true.';
  },
  function chosenProvidersAreKnown({ dispatcher, providers }) {
    const chosen: Readonly<Record<string, readonly string[]>> = {
      PROVIDER_FIXED: [dispatcher.fixedProvider],
      AVAILABLE_PROVIDERS: dispatcher.availableProviders,
      PROVIDER_PRIORITY_ORDER: dispatcher.priorityOrder,
      PROVIDER_WEIGHTS: Object.keys(dispatcher.weights),
      PROVIDER_METADATA: Object.keys(dispatcher.metadata),
    };
    for (const [variable, names] of Object.entries(chosen)) {
      const unknown = names.find((name) => providers[name] === undefined);
      if (unknown !== undefined)
        return `${variable} names ${showValue(unknown)}, but a provider must be one of ${Object.keys(providers).join(', ')}.`;
    }
    return undefined;
  },
  function weightedNeedsWeights({ dispatcher }) {
    const usable = dispatcher.availableProviders.some(
      (name) => (dispatcher.weights[name] ?? 0) > 0,
    );
    const isAnyAvailable = dispatcher.availableProviders.length > 0;
    if (dispatcher.strategy !== 'WEIGHTED' || usable) return undefined;
    if (!isAnyAvailable && Object.keys(dispatcher.weights).length > 0) return undefined;
    return `PROVIDER_WEIGHTS is ${showValue(SETTINGS.dispatcher.weights.kind.write(dispatcher.weights))}, but it must give an available provider a weight above 0 when PROVIDER_SELECTION_STRATEGY is WEIGHTED.`;
  },
  function aliasesLeadToKnownProviders({ aliases, providers }) {
    for (const alias of Object.values(aliases)) {
      const isUnknown = (target: { provider: string }) => providers[target.provider] === undefined;
      const unknown = alias.targets.find(isUnknown) ?? alias.fallbacks.find(isUnknown);
      if (unknown)
        return `aliases.${showName(alias.name)}.${alias.targets.includes(unknown) ? 'targets' : 'fallbacks'} names ${showValue(`${unknown.provider}/${unknown.model}`)}, but its provider must be one of ${Object.keys(providers).join(', ')}.`;
    }
    return undefined;
  },
  function weightsBelongToTargets({ aliases }) {
    for (const { name, weights, targets } of Object.values(aliases)) {
      const known = targets.map(({ provider, model }) => `${provider}/${model}`);
      const unknown = Object.keys(weights ?? {}).find((target) => !known.includes(target));
      if (unknown !== undefined)
        return `aliases.${showName(name)}.weights names ${showValue(unknown)}, but it must be one of its targets: ${known.join(', ')}.`;
    }
    return undefined;
  },
  function queuesAreDistinct({ jobs, providers }) {
    const queues = [jobs.rawQueue, jobs.resultsQueue, jobs.deadLetterQueue];
    for (const provider of Object.values(providers)) queues.push(provider.queue);
    const twice = queues.find((queue, index) => queues.indexOf(queue) !== index);
    if (twice === undefined) return undefined;
    return `The queue ${showValue(twice)} is configured twice, but the raw, results, dead-letter and provider queues must differ.`;
  },
  function variablesOfProvidersAreTheirOwn({ providers }) {
    for (const name of Object.keys(providers)) {
      const clash = providerVariables(name).find((each) => SECTION_VARIABLES.includes(each));
      if (clash !== undefined)
        return `providers.${name} has the variable ${clash}, which is a variable of Spillway; rename the provider.`;
    }
    return undefined;
  },
  function limiterKeysOutliveTheirWindow({ storage, providers }) {
    const windows = Object.values(providers).map((each) => each.windowMs + each.limitGuardMs);
    const longestMs = Math.max(...windows, 60_000);
    if (storage.redisTtlSeconds * 1000 > longestMs) return undefined;
    return `REDIS_TTL is ${storage.redisTtlSeconds}, but it must be more than ${longestMs / 1000} seconds, the longest limit window.`;
  },
  function replicaBoundsAreOrdered({ scaling }) {
    const { minGateways, maxGateways, minWorkers, maxWorkers } = scaling;
    if (minGateways > maxGateways)
      return `scaling.minGateways is ${minGateways}, but it must be at most scaling.maxGateways, which is ${maxGateways}.`;
    if (minWorkers > maxWorkers)
      return `scaling.minWorkers is ${minWorkers}, but it must be at most scaling.maxWorkers, which is ${maxWorkers}.`;
    return undefined;
  },
  function headersArriveBeforeTheRequest({ server }) {
    if (server.headersTimeoutMs <= server.requestTimeoutMs) return undefined;
    return `server.headersTimeoutMs is ${server.headersTimeoutMs}, but it must be at most server.requestTimeoutMs, which is ${server.requestTimeoutMs}.`;
  },
];
