import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { ServableModel } from '../routing/servable-models.ts';
import { MODEL_SHAPES } from './model-shapes.ts';

function models(count: number): readonly ServableModel[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m-${index}`,
    displayName: `M ${index}`,
    owner: 'openai',
    contextTokens: 1000,
    isEmbedding: index === 1,
    isTranslated: index === 2,
  }));
}

const anthropicAnswer = z.object({
  data: z.array(z.object({ id: z.string() })),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
const geminiAnswer = z.object({
  models: z.array(z.object({ name: z.string() })),
  nextPageToken: z.string().optional(),
});

test('forward pagination lists every model once in both formats', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 15 }), (count, size) => {
      const all = models(count);
      const seen: string[] = [];
      for (let after: string | undefined, isMore = true; isMore; ) {
        const query = { limit: String(size), ...(after === undefined ? {} : { after_id: after }) };
        const page = anthropicAnswer.parse(MODEL_SHAPES.anthropic.page(all, query));
        seen.push(...page.data.map(({ id }) => id));
        isMore = page.has_more;
        after = page.last_id ?? undefined;
      }
      assert.deepEqual(
        seen,
        all.map(({ id }) => id),
      );
      const named: string[] = [];
      for (let pageToken: string | undefined, isMore = true; isMore; ) {
        const query = { pageSize: String(size), pageToken };
        const page = geminiAnswer.parse(MODEL_SHAPES.gemini.page(all, query));
        named.push(...page.models.map(({ name }) => name));
        pageToken = page.nextPageToken;
        isMore = pageToken !== undefined;
      }
      assert.deepEqual(
        named,
        all.map(({ id }) => `models/${id}`),
      );
    }),
  );
});

test("Anthropic's pagination works backwards", () => {
  const page = anthropicAnswer.parse(
    MODEL_SHAPES.anthropic.page(models(5), { limit: '2', before_id: 'm-3' }),
  );
  assert.deepEqual([page.first_id, page.last_id, page.has_more], ['m-1', 'm-2', true]);
});

test('an invalid page size falls back to the default', () => {
  for (const limit of ['0', '-1', 'x', '', ['1', '2']]) {
    const page = anthropicAnswer.parse(MODEL_SHAPES.anthropic.page(models(30), { limit }));
    assert.equal(page.data.length, 20, String(limit));
  }
});

test("OpenAI's list has all models, and Gemini's list has the methods of each model", () => {
  const list = z
    .object({ data: z.array(z.unknown()) })
    .parse(MODEL_SHAPES.openai.page(models(60), {}));
  assert.equal(list.data.length, 60);
  const methods = z.object({ supportedGenerationMethods: z.array(z.string()) });
  const shown = models(2).map((model) => methods.parse(MODEL_SHAPES.gemini.one(model)));
  assert.ok(shown[0]?.supportedGenerationMethods.includes('generateContent'));
  assert.ok(shown[1]?.supportedGenerationMethods.includes('embedContent'));
});
