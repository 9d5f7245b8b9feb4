import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Client } from 'pg';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { compositeArray, textArray } from './composite-array.ts';

let database: TestDatabase;
let client: Client;

before(async () => {
  database = await createTestDatabase('records');
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('create type sample as (word text, amount bigint, is_so boolean, other text)');
});
after(async () => {
  await client.end();
  await database.drop();
});

type Sample = readonly [string | undefined, number | null, boolean, string];

async function storedRows(rows: readonly Sample[]): Promise<unknown[]> {
  const text = 'select word, amount::float8 as amount, is_so, other from unnest($1::sample[])';
  const { rows: stored } = await client.query(text, [compositeArray(rows)]);
  return stored;
}

async function storedTexts(texts: readonly string[]): Promise<unknown> {
  const { rows } = await client.query('select $1::text[] as texts', [textArray(texts)]);
  return rows[0]?.texts;
}

/** PostgreSQL cannot store NUL and lone surrogates: U+FFFD replaces them. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

const AWKWARD = [
  '',
  ' ',
  'null',
  'NULL',
  '"',
  '\\',
  '\\"',
  '(a,b)',
  '{}',
  ',',
  "'",
  '\n\t',
  '\0',
  '\uD800',
  'é🙂',
];
const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(...AWKWARD),
  fc.array(fc.constantFrom(...AWKWARD)).map((parts) => parts.join('')),
);

test('rows arrive unchanged, whatever characters they contain', async () => {
  const row = fc.tuple(
    fc.option(words, { nil: undefined }),
    fc.option(fc.maxSafeInteger(), { nil: null }),
    fc.boolean(),
    words,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
      const expected = rows.map(([word, amount, isSo, other]) => ({
        word: word === undefined ? null : storable(word),
        amount,
        is_so: isSo,
        other: storable(other),
      }));
      assert.deepEqual(await storedRows(rows), expected);
    }),
  );
});

test('an array of texts arrives unchanged, whatever characters they contain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 8 }), async (texts) => {
      assert.deepEqual(await storedTexts(texts), texts.map(storable));
    }),
  );
  assert.deepEqual(await storedTexts(AWKWARD), AWKWARD.map(storable));
});
