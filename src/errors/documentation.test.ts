import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ERROR_TABLE, type ErrorRow } from './codes.ts';

const PAGE = new URL('../../docs/errors.md', import.meta.url);

test('the table in docs/errors.md equals ERROR_TABLE', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [, shown = ''] = /<!-- codes:[^>]*-->\n\n([\s\S]*?)\n\n<!-- \/codes -->/.exec(page) ?? [];
  assert.equal(shown, codesTable(), 'replace the table in docs/errors.md with this one');
});

test('docs/errors.md explains every parameter', () => {
  const page = readFileSync(PAGE, 'utf8');
  const rows: readonly ErrorRow[] = Object.values(ERROR_TABLE);
  for (const name of new Set(rows.flatMap(({ params }) => params))) {
    assert.match(page, new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
  }
});

function codesTable(): string {
  const header = ['code', 'status', 'when', 'retryable', 'params', 'suggested actions'];
  const rows = Object.entries<ErrorRow>(ERROR_TABLE).map(([code, row]) => [
    `\`${code}\``,
    String(row.status),
    row.when,
    row.retryable ? 'yes' : 'no',
    row.params.map((name) => `\`${name}\``).join(', '),
    row.actions.map((name) => `\`${name}\``).join(', '),
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  return [
    line(header),
    line(
      header.map(() => ''),
      '-',
    ),
    ...rows.map((cells) => line(cells)),
  ].join('\n');
}
