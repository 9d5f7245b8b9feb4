import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { PRESETS } from './presets.ts';

test('the table in docs/simulator.md is the list of presets', async () => {
  const page = await readFile(new URL('../../docs/simulator.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- presets -->\n([^]*?)<!-- \/presets -->/.exec(page) ?? [];
  const rows = Object.entries(PRESETS).map(
    ([name, { description }]) => `| \`${name}\` | ${description.replaceAll('|', '\\|')} |`,
  );
  const expected = ['| preset | what it does |', '|---|---|', ...rows, ''].join('\n');
  assert.equal(table, expected);
});

test('every description is one line that ends as a sentence', () => {
  for (const { description } of Object.values(PRESETS))
    assert.match(description, /^[A-Z][^\n]{10,110}\.$/);
});
