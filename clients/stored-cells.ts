// The cells of earlier runs, in the cache folder: a run of some cells replaces those and leaves the others, so that the
// table can be measured in parts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Cell } from './measure-cell.ts';

const side = z.object({
  outcome: z.enum(['answer', 'error', 'waiting']),
  errorClass: z.string().optional(),
  ancestors: z.array(z.string()).optional(),
  text: z.string(),
  seconds: z.number(),
  calls: z.number(),
});

const stored = z.array(
  z.object({
    client: z.string(),
    kind: z.enum(['sdk', 'python', 'agent']),
    failure: z.string(),
    direct: side,
    gateway: side,
  }),
);

/** Returns all cells, old and new. */
export function storeCells(cache: string, measured: readonly Cell[]): readonly Cell[] {
  const file = join(cache, 'cells.json');
  const before = existsSync(file) ? stored.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
  const idOf = ({ client, failure }: Pick<Cell, 'client' | 'failure'>) => `${failure} ${client}`;
  const replaced = new Set(measured.map(idOf));
  const cells = [...before.filter((cell) => !replaced.has(idOf(cell))), ...measured];
  writeFileSync(file, JSON.stringify(cells, null, 1));
  return cells;
}
