// Model lists in the format and pagination of each provider's SDK. Unknown properties of a model have the provider's own
// placeholder: the epoch, null, or no field.

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
    /** OpenAI has no pagination. */
    page: (models) => ({ object: 'list', data: models.map(openaiModel) }),
  },
  anthropic: { one: anthropicModel, page: anthropicPage },
  gemini: { one: geminiModel, page: geminiPage },
};

const MAX_PAGE_SIZE = 1000;

/** OpenAI's SDK passes fields that it does not know on to its user. */
function openaiModel({ id, owner, isTranslated }: ServableModel): unknown {
  const mark = isTranslated ? { served_by: 'translation' } : {};
  return { id, object: 'model', created: 0, owned_by: owner, ...mark };
}

function anthropicModel({ id, displayName, contextTokens, isTranslated }: ServableModel): unknown {
  return {
    type: 'model',
    id,
    display_name: isTranslated ? `${displayName} (translated)` : displayName,
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

function geminiModel(model: ServableModel): unknown {
  const { id, displayName, contextTokens, isEmbedding, isTranslated } = model;
  return {
    name: `models/${id}`,
    version: '001',
    displayName,
    ...(isTranslated ? { description: 'Served by translation.' } : {}),
    inputTokenLimit: contextTokens,
    supportedGenerationMethods: isEmbedding
      ? ['embedContent', 'batchEmbedContents', 'countTokens']
      : ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

/** Pages by `before_id` or `after_id`; an unknown id counts as the start of the list. */
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

/** The token is the id of the last model of the previous page. */
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

function pageSize(given: unknown, defaultSize: number): number {
  const size = typeof given === 'string' ? Number(given) : defaultSize;
  return Number.isInteger(size) && size > 0 ? Math.min(size, MAX_PAGE_SIZE) : defaultSize;
}

function indexOf(models: readonly ServableModel[], id: unknown): number {
  return typeof id === 'string' ? models.findIndex((model) => model.id === id) : -1;
}
