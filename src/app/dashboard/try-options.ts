// The choices of "Try it": formats, servable models with aliases first, languages and the simulator's presets.

import type { Config } from '../../config/config.ts';
import type { TryOptions } from '../../dashboard/api/try-it.ts';
import { WIRE_FORMATS } from '../../dashboard/schemas/try-it.ts';
import { LOCALES } from '../../errors/locale.ts';
import type { SimulatorControl } from '../../http/routes/simulator.ts';
import type { ServableModels } from '../../routing/servable-models.ts';
import { listScenarios } from './play-scenario.ts';

const MAX_MODELS = 200;

export function tryOptions(
  { aliases }: Pick<Config, 'aliases'>,
  models: ServableModels,
  simulator: SimulatorControl | undefined,
): TryOptions {
  const named = models
    .list('anthropic', undefined)
    .filter(({ isEmbedding }) => !isEmbedding)
    .map(({ id }) => id);
  return {
    formats: WIRE_FORMATS,
    models: [...new Set([...Object.keys(aliases), ...named])].slice(0, MAX_MODELS),
    locales: LOCALES,
    scenarios: listScenarios(simulator),
  };
}
