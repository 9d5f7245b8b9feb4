import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { headingId, readInlines, readMarkdown } from './read-markdown.ts';

test('headings, lists, tables, code and paragraphs become blocks', () => {
  const blocks = readMarkdown(
    '# Error rate\n\nRead `x` and\n**act**.\n\n- one\n- two\n  more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nnpm start\n```\n',
  );
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['heading', 'paragraph', 'list', 'table', 'code'],
  );
  assert.deepEqual(blocks[2], {
    kind: 'list',
    items: [[{ kind: 'text', text: 'one' }], [{ kind: 'text', text: 'two more' }]],
  });
  assert.deepEqual(blocks[4], { kind: 'code', text: 'npm start' });
});

test('a link keeps its text and markup stays text', () => {
  assert.deepEqual(readInlines('see [the page](x.md) <b>'), [
    { kind: 'text', text: 'see the page <b>' },
  ]);
  assert.equal(headingId('Error rate, 5 %'), 'error-rate-5');
});

test('the reader never throws and ends on arbitrary text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => void readMarkdown(text)));
});

test('the runbook has blocks', () => {
  const path = new URL('../../../../../../docs/runbook.md', import.meta.url);
  assert.ok(readMarkdown(readFileSync(path, 'utf8')).length > 1);
});
