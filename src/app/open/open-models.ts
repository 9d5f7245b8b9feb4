// Facts about models from the configuration and the maintained list: their context windows, and which of them this gateway
// can serve.

import type { Config } from '../../config/config.ts';
import { createModelLabel, type ModelLabel } from '../../flow/call/model-label.ts';
import { createKnownModels } from '../../metering/prices/known-models.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import { builtInModels } from '../../metering/prices/price-built-in.ts';
import { type ContextTokensOf, createContextTokens } from '../../routing/context-window.ts';
import { createServableModels, type ServableModels } from '../../routing/servable-models.ts';

export function openContextTokens(config: Config): ContextTokensOf {
  return createContextTokens(config.models, createKnownModels().contextTokens);
}

/** Models of the configuration, the built-in prices and the maintained list have a label of their own in metrics. */
export function openModelLabel({ providers, aliases, models, prices }: Config): ModelLabel {
  const known = createKnownModels();
  return createModelLabel(
    new Set([
      ...Object.keys(models),
      ...builtInModels(),
      ...Object.keys(prices.models).flatMap((name) => [name, name.slice(name.indexOf('/') + 1)]),
      ...Object.values(aliases).flatMap(({ targets, fallbacks }) =>
        [...targets, ...fallbacks].map(({ model }) => model),
      ),
      ...Object.keys(providers).flatMap((provider) => known.of(provider).map(({ id }) => id)),
    ]),
  );
}

export function openServableModels(config: Config, meter: Pick<Meter, 'isPriced'>): ServableModels {
  return createServableModels({
    providers: Object.values(config.providers),
    aliases: Object.values(config.aliases),
    configured: Object.keys(config.models),
    known: createKnownModels().of,
    isPriced: (provider, model) => meter.isPriced(provider, model),
    contextTokens: openContextTokens(config),
  });
}
