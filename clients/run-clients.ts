// `spillway clients`: real SDKs and agents on a failing provider, direct and through Spillway. The command in
// src/cli/commands/clients.ts is its only caller. With `writes` it writes docs/clients.md.

import { writeFileSync } from 'node:fs';
import { createProgress } from '../src/cli/progress.ts';
import { AGENTS } from './agents.ts';
import type { Client } from './client.ts';
import { COMPACTING_AGENTS, measureCompaction } from './compaction.ts';
import { FAILURES, type Failure } from './failures.ts';
import { installClients, versionOf } from './install.ts';
import { LONG_ANSWER_CLIENTS, measureLongAnswers } from './long-answers.ts';
import { type Cell, measureCell, TIME_LIMIT_MS } from './measure-cell.ts';
import { PYTHON } from './python.ts';
import { failuresIn, reportText } from './report.ts';
import { reportDocument } from './report-document.ts';
import { SDKS } from './sdks.ts';
import { type Results, storeResults } from './stored-results.ts';

export type ClientsRequest = {
  readonly clients: readonly string[];
  readonly failures: readonly string[];
  readonly isFull: boolean;
  /** Only the answers that take minutes. */
  readonly isLong: boolean;
  /** Runs only the agents with an overflowing context window. */
  readonly isCompaction: boolean;
  readonly isJson: boolean;
  /** Writes docs/clients.md. */
  readonly writes: boolean;
  readonly cache: string;
};

export type ClientsOutcome = { readonly text: string; readonly failed: readonly string[] };

const DOCUMENT = new URL('../docs/clients.md', import.meta.url);
const ALL_CLIENTS: readonly Client[] = [...SDKS, ...PYTHON, ...AGENTS];
/** Most cells wait; more at once would distort their times. */
const CONCURRENT_CELLS = 4;

export async function runClients(request: ClientsRequest): Promise<ClientsOutcome> {
  const measured = await measure(request);
  const all = storeResults(request.cache, measured);
  if (request.writes) writeDocument(all, request.cache);
  return {
    text: request.isJson ? JSON.stringify(measured, null, 2) : reportText(measured),
    failed: failuresIn(measured),
  };
}

async function measure(request: ClientsRequest): Promise<Results> {
  const { cache, isLong, isCompaction } = request;
  const chosen = choose(ALL_CLIENTS, request.clients, 'client');
  const none: Results = { cells: [], longAnswers: [], compactions: [] };
  if (isCompaction) {
    const agents = chosen.filter(({ name }) => COMPACTING_AGENTS.includes(name));
    const compactions = await measureCompaction(installClients(agents, cache), cache);
    return { ...none, compactions };
  }
  if (isLong) {
    installClients(
      ALL_CLIENTS.filter(({ name }) => LONG_ANSWER_CLIENTS.has(name)),
      cache,
    );
    return { ...none, longAnswers: await measureLongAnswers(cache) };
  }
  const failures = choose(FAILURES, request.failures, 'failure').filter(
    ({ isLong: takesMinutes, name }) =>
      !takesMinutes || request.isFull || request.failures.includes(name),
  );
  return { ...none, cells: await measureAll(installClients(chosen, cache), failures, cache) };
}

/** From the results of this run and of earlier ones, in the order of the tables. */
function writeDocument(results: Results, cache: string): void {
  const order = (cell: Cell) => ALL_CLIENTS.findIndex(({ name }) => name === cell.client);
  const cells = results.cells.toSorted((one, other) => order(one) - order(other));
  const versions = AGENTS.flatMap((client) => {
    const version = versionOf(client, cache);
    return version === '' ? [] : [`${client.name} ${version}`];
  });
  const facts = { versions, timeLimitMs: TIME_LIMIT_MS };
  writeFileSync(DOCUMENT, reportDocument({ ...results, cells }, FAILURES, facts));
}

function choose<T extends { readonly name: string }>(
  all: readonly T[],
  wanted: readonly string[],
  what: string,
): readonly T[] {
  const unknown = wanted.filter((name) => !all.some((each) => each.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(', ');
    throw new RangeError(`There is no ${what} ${unknown.join(', ')}; there are: ${known}.`);
  }
  return wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name));
}

/** In the order of the table, some at a time. */
async function measureAll(
  clients: readonly Client[],
  failures: readonly Failure[],
  cache: string,
): Promise<readonly Cell[]> {
  const pairs = failures.flatMap((failure) => clients.map((client) => ({ client, failure })));
  const cells: Cell[] = [];
  const waiting = pairs.entries();
  const progress = createProgress(process.stderr);
  let done = 0;
  async function work(): Promise<void> {
    for (const [index, { client, failure }] of waiting) {
      cells[index] = await measureCell(client, failure, { cache });
      done += 1;
      progress.show(`${failure.name} × ${client.name}`, done, pairs.length);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_CELLS }, work));
  progress.clear();
  return cells;
}
