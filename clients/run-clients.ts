// `spillway clients`: real SDKs and agents on a failing provider, direct and through Spillway. The command in
// src/cli/commands/clients.ts is its only caller. With `writes` it writes docs/clients.md.

import { writeFileSync } from 'node:fs';
import { AGENTS } from './agents.ts';
import type { Client } from './client.ts';
import { FAILURES, type Failure } from './failures.ts';
import { installClients, versionOf } from './install.ts';
import { defectsOf } from './judge.ts';
import { type Cell, type Conditions, measureCell } from './measure-cell.ts';
import { PYTHON } from './python.ts';
import { reportDocument, reportText } from './report.ts';
import { SDKS } from './sdks.ts';
import { storeCells } from './stored-cells.ts';

export type ClientsRequest = {
  readonly clients: readonly string[];
  readonly failures: readonly string[];
  readonly isFull: boolean;
  readonly isJson: boolean;
  /** Writes docs/clients.md. */
  readonly writes: boolean;
  readonly cache: string;
};

export type ClientsOutcome = { readonly text: string; readonly failed: readonly string[] };

const DOCUMENT = new URL('../docs/clients.md', import.meta.url);
const TIME_LIMIT_MS = 60_000;
const FULL_TIME_LIMIT_MS = 600_000;
/** Most cells wait; more at once would distort their times. */
const CONCURRENT_CELLS = 4;

export async function runClients(request: ClientsRequest): Promise<ClientsOutcome> {
  const clients = choose([...SDKS, ...PYTHON, ...AGENTS], request.clients, 'client');
  const failures = choose(FAILURES, request.failures, 'failure').filter(
    ({ isLong, name }) => !isLong || request.isFull || request.failures.includes(name),
  );
  const installed = installClients(clients, request.cache);
  const timeLimitMs = request.isFull ? FULL_TIME_LIMIT_MS : TIME_LIMIT_MS;
  const cells = await measureAll(installed, failures, { cache: request.cache, timeLimitMs });
  const all = storeCells(request.cache, cells);
  if (request.writes) writeDocument(all, { cache: request.cache, timeLimitMs });
  return {
    text: request.isJson ? JSON.stringify({ cells }, null, 2) : reportText(cells),
    failed: cells
      .filter((cell) => defectsOf(cell).length > 0)
      .map(({ client, failure }) => `${failure} × ${client}`),
  };
}

/** From the cells of this run and of earlier ones, in the order of the tables. */
function writeDocument(cells: readonly Cell[], { cache, timeLimitMs }: Conditions): void {
  const clients = [...SDKS, ...PYTHON, ...AGENTS];
  const order = (cell: Cell) => clients.findIndex(({ name }) => name === cell.client);
  const sorted = cells.toSorted((one, other) => order(one) - order(other));
  const versions = AGENTS.flatMap((client) => {
    const version = versionOf(client, cache);
    return version === '' ? [] : [`${client.name} ${version}`];
  });
  writeFileSync(DOCUMENT, reportDocument(sorted, FAILURES, { versions, timeLimitMs }));
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
  conditions: Conditions,
): Promise<readonly Cell[]> {
  const pairs = failures.flatMap((failure) => clients.map((client) => ({ client, failure })));
  const cells: Cell[] = [];
  const waiting = pairs.entries();
  async function work(): Promise<void> {
    for (const [index, { client, failure }] of waiting) {
      cells[index] = await measureCell(client, failure, conditions);
      process.stderr.write(`${failure.name} × ${client.name}\n`);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_CELLS }, work));
  return cells;
}
