// Limits that governance gives to whole providers (`governance.providers`) and to models (`governance.model_configs`).

import type { LimitsDraft } from '../draft.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { GOVERNED_PROVIDER, MODEL_CONFIG } from './left-out-keys.ts';
import type { RateLimit, RateLimitTable } from './limit-tables.ts';

export type GovernedLimits = {
  ofProvider(provider: string): LimitsDraft | undefined;
  ofModel(provider: string, model: string): LimitsDraft | undefined;
  /** The models of a provider with limits of their own. */
  modelsOf(provider: string): readonly string[];
};

export function readGovernedLimits(
  governance: PeerMap | undefined,
  table: RateLimitTable | undefined,
  context: ImportContext,
): GovernedLimits {
  const providers = new Map<string, LimitsDraft>();
  const models = new Map<string, Map<string, LimitsDraft>>();
  if (governance && table) {
    for (const entry of governance.maps('providers'))
      readProvider(entry, table, providers, context);
    for (const entry of governance.maps('model_configs')) readModel(entry, table, models, context);
  }
  return {
    ofProvider: (provider) => providers.get(provider),
    ofModel: (provider, model) => models.get(provider)?.get(model),
    modelsOf: (provider) => [...(models.get(provider)?.keys() ?? [])],
  };
}

function readProvider(
  entry: PeerMap,
  table: RateLimitTable,
  providers: Map<string, LimitsDraft>,
  { findings }: ImportContext,
): void {
  const name = entry.text('name');
  if (!name) return findings.leftOut(entry.node, 'it has no name');
  const limit = table.take(entry, `providers.${name.value}`, true);
  if (limit) providers.set(name.value, toLimits(limit));
  findings.taken(name.node, `providers.${name.value}`);
  entry.close(GOVERNED_PROVIDER);
}

function readModel(
  entry: PeerMap,
  table: RateLimitTable,
  models: Map<string, Map<string, LimitsDraft>>,
  { findings }: ImportContext,
): void {
  const [model, provider] = [entry.text('model_name'), entry.text('provider')];
  const scope = entry.text('scope');
  if (scope && scope.value !== 'global')
    return findings.leftOut(
      entry.node,
      'a limit of a model applies to all callers; limit the key instead',
    );
  if (!model || !provider)
    return findings.leftOut(entry.node, 'a limit of a model needs its provider');
  const to = `providers of ${provider.value}/${model.value}`;
  const limit = table.take(entry, to, true);
  if (limit) {
    const own = models.get(provider.value) ?? new Map<string, LimitsDraft>();
    own.set(model.value, toLimits(limit));
    models.set(provider.value, own);
  }
  for (const { node } of [model, provider]) findings.taken(node, to);
  entry.close(MODEL_CONFIG);
}

function toLimits({ requests, tokens }: RateLimit): LimitsDraft {
  return {
    ...(requests && { requestsPerMinute: requests.amount }),
    ...(tokens && { [tokens.setting]: tokens.amount }),
  };
}
