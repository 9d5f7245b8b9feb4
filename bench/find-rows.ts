// Loads every file in rows/; adding a row is adding a file.

import { readdir } from 'node:fs/promises';
import type { BenchRow } from './bench-row.ts';

export async function findRows(): Promise<BenchRow[]> {
  const folder = new URL('rows/', import.meta.url);
  const names = await readdir(folder);
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const rows = await Promise.all(files.map((file) => loadRow(new URL(file, folder))));
  return rows.sort((a, b) => a.order - b.order);
}

/** The requested rows, or all rows if none is requested; throws for an unknown name. */
export function chooseRows(rows: readonly BenchRow[], wanted: readonly string[]): BenchRow[] {
  const unknown = wanted.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) {
    const known = rows.map((row) => row.name).join(', ');
    throw new RangeError(`There is no row ${unknown.join(', ')}; there are: ${known}.`);
  }
  return rows.filter((row) => wanted.length === 0 || wanted.includes(row.name));
}

async function loadRow(file: URL): Promise<BenchRow> {
  const loaded: unknown = await import(file.href);
  if (!hasRow(loaded)) throw new Error(`${file.pathname.split('/').at(-1)} exports no row`);
  return loaded.row;
}

function hasRow(loaded: unknown): loaded is { row: BenchRow } {
  if (typeof loaded !== 'object' || loaded === null || !('row' in loaded)) return false;
  const { row } = loaded;
  return typeof row === 'object' && row !== null && 'run' in row && 'goals' in row;
}
