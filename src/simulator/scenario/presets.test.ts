import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { PRESETS } from './presets.ts';

test('the table in docs/simulator.md is the list of presets', async () => {
  const page = await readFile(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- presets -->\n([^]*?)<!-- \/presets -->/.exec(page) ?? [];
  const [, , ...rows] = table.trim().split('\n');
  const expected = Object.entries(PRESETS).map(
    ([name, { description }]) => `| \`${name}\` | ${description.replaceAll('|', '\\|')} |`,
  );
  // The formatter pads the cells; only what stands in them counts.
  assert.deepEqual(
    rows.map((row) => row.replaceAll(/ +/g, ' ')),
    expected,
  );
});

test('every description is one line that ends as a sentence', () => {
  for (const { description } of Object.values(PRESETS))
    assert.match(description, /^[A-Z][^\n]{10,110}\.$/);
});
