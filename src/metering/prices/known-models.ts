// The models that the maintained price package knows by name, for the lists of models, and the sizes of their context windows.
// Models that our endpoints cannot serve (speech, images, live connections) and retired models are left out. Nothing here
// uses the network; the package is loaded on first use.

import { createRequire } from 'node:module';
import type { calcPrice, findProvider, ModelInfo } from '@pydantic/genai-prices';

export type KnownModel = {
  readonly id: string;
  readonly displayName: string;
  readonly contextTokens: number | undefined;
};

export type KnownModels = {
  /** Empty for a provider that the package does not know. */
  readonly of: (provider: string) => readonly KnownModel[];
  readonly contextTokens: (model: string) => number | undefined;
};

export function createKnownModels(): KnownModels {
  const require = createRequire(import.meta.url);
  const load = () => require('@pydantic/genai-prices') as Package;
  return {
    of(provider) {
      const models = load().findProvider({ providerId: provider })?.models ?? [];
      return models.filter(isServable).map((model) => ({
        id: model.id,
        displayName: model.name ?? model.id,
        contextTokens: windowOf(model),
      }));
    },
    contextTokens: (model) => findWindow(load(), model),
  };
}

type Package = { readonly calcPrice: typeof calcPrice; readonly findProvider: typeof findProvider };

function isServable({ id, deprecated, prices }: ModelInfo): boolean {
  if (deprecated === true || OTHER_KINDS.test(id) || RETIRED.test(id)) return false;
  const lists = Array.isArray(prices) ? prices.map((entry) => entry.prices) : [prices];
  return lists.every((list) => list['input_mtok'] !== undefined);
}

/** Also names that stand for a family of models: fine-tuned models and variants after a colon. */
const OTHER_KINDS =
  /image|realtime|transcribe|tts|whisper|-live|omni|moderation|computer-use|guard|voxtral|ocr|:|\.ft-/;
/** Open models, which their maker does not serve itself. */
const RETIRED =
  /^(claude-(2|3|v1|instant)|gpt-oss|gpt-3|gpt-4-(32k|vision)|gpt-4\.5|o1-(mini|preview)|gemini-(1\.|pro|flash-1))/;

function findWindow(source: Package, model: string): number | undefined {
  try {
    const provider = source.findProvider({ modelId: model });
    if (!provider) return gapWindow(model);
    const found = source.calcPrice({}, model, { providerId: provider.id })?.model;
    return found && windowOf(found);
  } catch {
    // The package throws for entries without a price; their windows are unknown too.
    return gapWindow(model);
  }
}

function windowOf({ id, context_window: stated }: ModelInfo): number | undefined {
  return stated ?? gapWindow(id);
}

/** Windows of current models that the package does not state. */
function gapWindow(model: string): number | undefined {
  if (model === 'gemini-embedding-001') return 2048;
  return /^gemini-(2\.5|3)/.test(model) ? 1_048_576 : undefined;
}
