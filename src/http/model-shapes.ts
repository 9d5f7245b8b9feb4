// Lists of models as each provider's SDK expects them, with its own way of paging. What is not known of a model is
// told as the provider itself would tell it: an epoch date, a null, a field left out.

import type { ProviderFormat } from '../kernel/provider-format.ts';
import type { ServableModel } from '../routing/servable-models.ts';

export type ModelQuery = Readonly<Record<string, unknown>>;

export type ModelShape = {
  one(model: ServableModel): unknown;
  page(models: readonly ServableModel[], query: ModelQuery): unknown;
};

export const MODEL_SHAPES: Readonly<Record<ProviderFormat, ModelShape>> = {
  openai: {
    one: openaiModel,
    /** OpenAI gives all at once. */
    page: (models) => ({ object: 'list', data: models.map(openaiModel) }),
  },
  anthropic: { one: anthropicModel, page: anthropicPage },
  gemini: { one: geminiModel, page: geminiPage },
};

const MAX_ON_A_PAGE = 1000;

function openaiModel({ id, owner }: ServableModel): unknown {
  return { id, object: 'model', created: 0, owned_by: owner };
}

function anthropicModel({ id, displayName, contextTokens }: ServableModel): unknown {
  return {
    type: 'model',
    id,
    display_name: displayName,
    created_at: '1970-01-01T00:00:00Z',
    lifecycle: 'active',
    line: null,
    capabilities: null,
    max_input_tokens: contextTokens,
    max_tokens: null,
    deprecated_at: null,
    retires_at: null,
  };
}

function geminiModel({ id, displayName, contextTokens, isEmbedding }: ServableModel): unknown {
  return {
    name: `models/${id}`,
    version: '001',
    displayName,
    inputTokenLimit: contextTokens,
    supportedGenerationMethods: isEmbedding
      ? ['embedContent', 'batchEmbedContents', 'countTokens']
      : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

/** By the id before or behind which the page lies; one that is unknown lies before all. */
function anthropicPage(models: readonly ServableModel[], query: ModelQuery): unknown {
  const size = pageSize(query['limit'], 20);
  const beforeAt = indexOf(models, query['before_id']);
  const isBackwards = beforeAt >= 0;
  const end = isBackwards ? beforeAt : models.length;
  const start = isBackwards ? Math.max(0, end - size) : indexOf(models, query['after_id']) + 1;
  const shown = models.slice(start, Math.min(end, start + size));
  return {
    data: shown.map(anthropicModel),
    has_more: isBackwards ? start > 0 : start + size < models.length,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  };
}

/** The token is the id of the last model that was given. */
function geminiPage(models: readonly ServableModel[], query: ModelQuery): unknown {
  const size = pageSize(query['pageSize'], 50);
  const start = indexOf(models, query['pageToken']) + 1;
  const shown = models.slice(start, start + size);
  const hasMore = start + size < models.length;
  return {
    models: shown.map(geminiModel),
    ...(hasMore ? { nextPageToken: shown.at(-1)?.id } : {}),
  };
}

function pageSize(given: unknown, usual: number): number {
  const size = typeof given === 'string' ? Number(given) : usual;
  return Number.isInteger(size) && size > 0 ? Math.min(size, MAX_ON_A_PAGE) : usual;
}

function indexOf(models: readonly ServableModel[], id: unknown): number {
  return typeof id === 'string' ? models.findIndex((model) => model.id === id) : -1;
}
