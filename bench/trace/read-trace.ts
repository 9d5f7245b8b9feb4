// Reads a trace from a CSV file with a header, as published for Azure's LLM inference service: TIMESTAMP,
// ContextTokens, GeneratedTokens. Other columns and the order of lines are ignored. An unreadable file is reported as a
// usage error.

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { fromFirst, type RequestTrace, type TracedRequest } from './request-trace.ts';

const COLUMNS = ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'] as const;

const Line = z.tuple([
  z.string().transform(toMs).pipe(z.number()),
  z.coerce.number().int().min(0),
  z.coerce.number().int().min(0),
]);

export async function readTrace(file: string): Promise<RequestTrace> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new RangeError(`The trace ${file} cannot be read.`, { cause });
  });
  return parseTrace(text);
}

export function parseTrace(text: string): RequestTrace {
  const [heading = '', ...lines] = text.trim().split(/\r?\n/);
  const names = heading.split(',').map((name) => name.trim());
  const places = COLUMNS.map((column) => names.indexOf(column));
  if (places.includes(-1) || lines.length === 0)
    throw new RangeError(`A trace has a heading with ${COLUMNS.join(', ')} and lines below it.`);
  const requests = lines.map((line, index) => parseLine(line, places, index + 2));
  return fromFirst(requests.toSorted((one, other) => one.atMs - other.atMs));
}

function parseLine(line: string, places: readonly number[], number: number): TracedRequest {
  const cells = line.split(',');
  const parsed = Line.safeParse(places.map((place) => cells[place]));
  if (!parsed.success) throw new RangeError(`Line ${number} of the trace cannot be read.`);
  const [atMs, contextTokens, generatedTokens] = parsed.data;
  return { atMs, contextTokens, generatedTokens };
}

/** The published files give no time zone and mean UTC. */
function toMs(text: string): number {
  const iso = text.trim().replace(' ', 'T');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
}
