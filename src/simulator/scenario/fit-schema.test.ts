import assert from 'node:assert/strict';
import test from 'node:test';
import { z } from 'zod';
import { fitSchema } from './fit-schema.ts';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'plain types': z.object({
    city: z.string(),
    days: z.int(),
    isMetric: z.boolean(),
    none: z.null(),
  }),
  'bounds and steps': z.object({
    low: z.int().min(3).max(9),
    high: z.number().lt(-2),
    above: z.int().gt(7),
    even: z.int().multipleOf(2).min(5),
    short: z.string().max(3),
    long: z.string().min(200),
  }),
  'enums and constants': z.object({
    unit: z.enum(['celsius', 'kelvin']),
    kind: z.literal('exact'),
  }),
  lists: z.object({ few: z.array(z.string()).min(2), none: z.array(z.number()).max(0) }),
  formats: z.object({
    at: z.iso.datetime(),
    day: z.iso.date(),
    mail: z.email(),
    link: z.url(),
    id: z.uuid(),
  }),
  unions: z.object({ value: z.union([z.int(), z.string()]), maybe: z.string().nullable() }),
  'deep nesting': z.object({
    a: z.object({ b: z.object({ c: z.object({ d: z.object({ e: z.object({ f: z.int() }) }) }) }) }),
  }),
};

for (const [name, schema] of Object.entries(SCHEMAS))
  test(`a value generated for ${name} fits its schema`, () => {
    const made = fitSchema(z.toJSONSchema(schema), 'What is a spillway for?');
    schema.parse(made);
  });

test('a recursive schema terminates', () => {
  const made = fitSchema(
    {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['name', 'children'],
        },
      },
    },
    'x',
  );
  assert.match(JSON.stringify(made), /^\{"name":"x","children":\[/);
});

test("Gemini's capitalised type names are understood", () => {
  const schema = { type: 'OBJECT', properties: { n: { type: 'INTEGER', minimum: 4 } } };
  assert.deepEqual(fitSchema(schema, ''), { n: 4 });
});

test('the members of allOf are merged', () => {
  const schema = {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      { properties: { b: { type: 'boolean' } } },
    ],
  };
  assert.deepEqual(fitSchema(schema, ''), { a: 1, b: true });
});

test('an invalid schema yields a string and does not throw', () => {
  for (const schema of [null, 7, 'x', [], true]) assert.equal(fitSchema(schema, 'hint'), 'hint');
});
