import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { PRESETS } from './presets.ts';

test('the table in docs/simulator.md equals the list of presets', async () => {
  const page = await readFile(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- presets -->\n([^]*?)<!-- \/presets -->/.exec(page) ?? [];
  const [, , ...rows] = table.trim().split('\n');
  const expected = Object.entries(PRESETS).map(
    ([name, { description }]) => `| \`${name}\` | ${description.replaceAll('|', '\\|')} |`,
  );
  // The formatter pads the cells; only their content is compared.
  assert.deepEqual(
    rows.map((row) => row.replaceAll(/ +/g, ' ')),
    expected,
  );
});

test('every description is a one-line sentence', () => {
  for (const { description } of Object.values(PRESETS))
    assert.match(description, /^[A-Z][^\n]{10,110}\.$/);
});
