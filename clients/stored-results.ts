// The results of earlier runs, in the cache folder. A run replaces its own results and leaves the others, so that the
// document can be measured in parts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Compaction } from './compaction.ts';
import type { LongAnswer } from './long-answers.ts';
import type { Cell } from './measure-cell.ts';

const side = z.object({
  outcome: z.enum(['answer', 'error', 'waiting']),
  errorClass: z.string().optional(),
  ancestors: z.array(z.string()).optional(),
  text: z.string(),
  seconds: z.number(),
  secondsSinceAnswer: z.number().optional(),
  calls: z.number(),
});

const cells = z.array(
  z.object({
    client: z.string(),
    kind: z.enum(['sdk', 'python', 'agent']),
    failure: z.string(),
    requests: z.number().optional(),
    direct: side,
    gateway: side,
  }),
);

const longAnswers = z.array(
  z.object({
    client: z.string(),
    kind: z.enum(['unary', 'stream']),
    expectedSeconds: z.number(),
    seconds: z.number(),
    calls: z.number(),
    isWhole: z.boolean(),
    text: z.string(),
  }),
);

const compactions = z.array(
  z.object({
    client: z.string(),
    side: z.enum(['direct', 'gateway']),
    requests: z.array(
      z.object({ bytes: z.number(), status: z.number(), asksForSummary: z.boolean() }),
    ),
    hasCompacted: z.boolean(),
    text: z.string(),
  }),
);

export type Results = {
  readonly cells: readonly Cell[];
  readonly longAnswers: readonly LongAnswer[];
  readonly compactions: readonly Compaction[];
};

/** Returns all results, old and new. */
export function storeResults(cache: string, measured: Results): Results {
  return {
    cells: store(cache, 'cells.json', cells, measured.cells, (cell) => [cell.failure, cell.client]),
    longAnswers: store(cache, 'long-answers.json', longAnswers, measured.longAnswers, (answer) => [
      answer.client,
      answer.kind,
      answer.expectedSeconds,
    ]),
    compactions: store(cache, 'compactions.json', compactions, measured.compactions, (each) => [
      each.client,
      each.side,
    ]),
  };
}

function store<T>(
  cache: string,
  name: string,
  schema: z.ZodType<T[]>,
  measured: readonly T[],
  idOf: (result: T) => readonly unknown[],
): readonly T[] {
  const file = join(cache, name);
  const before = existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
  const textOf = (result: T) => JSON.stringify(idOf(result));
  const replaced = new Set(measured.map(textOf));
  const all = [...before.filter((result) => !replaced.has(textOf(result))), ...measured];
  if (measured.length > 0) writeFileSync(file, JSON.stringify(all, null, 1));
  return all;
}
