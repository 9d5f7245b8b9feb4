// What is known of models, from the configuration and the maintained list: the sizes of their windows, and which of
// them this gateway can serve.

import type { Config } from '../../config/config.ts';
import { createKnownModels } from '../../metering/prices/known-models.ts';
import type { Meter } from '../../metering/prices/meter.ts';
import { type ContextTokensOf, createContextTokens } from '../../routing/context-window.ts';
import { createServableModels, type ServableModels } from '../../routing/servable-models.ts';

export function openContextTokens(config: Config): ContextTokensOf {
  return createContextTokens(config.models, createKnownModels().contextTokens);
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
