// Reads the `iterations` of Anthropic's usage: each time that the model read its context within one request. The counts of the
// usage are the sum of its messages; they leave out the passes that compacted the context and those of an adviser. A long
// context is priced by the context of an iteration, not by the sum. Most answers list no iterations, and then nothing is
// allocated. Lists are cumulative: the largest sums win.

import { raiseToolUses } from './usage-extras.ts';
import { countOf, type JsonRecord, nested } from './usage-fields.ts';

export type RawIterations = {
  /** The counts of the passes that compacted the context. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  /** The input of the largest iteration, cached tokens included. */
  largest: number;
  /** The input of all messages, cached tokens included. */
  messages: number;
};

type Counts = Parameters<typeof raiseToolUses>[0] & { iterations: RawIterations | undefined };

export function addIterations(counts: Counts, list: unknown): void {
  if (!Array.isArray(list) || list.length === 0) return;
  const sums = { ...NONE };
  let advice = 0;
  for (const each of list) {
    const iteration = nested(each);
    const type = iteration['type'];
    if (type === 'advisor_message') advice += 1;
    else addIteration(sums, iteration, type === 'compaction');
  }
  raiseToolUses(counts, 'advisor', advice);
  const before = counts.iterations ?? NONE;
  counts.iterations = {
    input: Math.max(before.input, sums.input),
    output: Math.max(before.output, sums.output),
    cacheRead: Math.max(before.cacheRead, sums.cacheRead),
    cacheWrite: Math.max(before.cacheWrite, sums.cacheWrite),
    cacheWrite1h: Math.max(before.cacheWrite1h, sums.cacheWrite1h),
    largest: Math.max(before.largest, sums.largest),
    messages: Math.max(before.messages, sums.messages),
  };
}

/** A report may state the total only, or its parts by lifetime only. */
export function cacheWritesOf(usage: JsonRecord): number {
  const fiveMinutes = countOf(nested(usage['cache_creation'])['ephemeral_5m_input_tokens']) ?? 0;
  const total = countOf(usage['cache_creation_input_tokens']) ?? 0;
  return Math.max(total, fiveMinutes + hourWritesOf(usage));
}

export function hourWritesOf(usage: JsonRecord): number {
  return countOf(nested(usage['cache_creation'])['ephemeral_1h_input_tokens']) ?? 0;
}

const NONE: Readonly<RawIterations> = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  largest: 0,
  messages: 0,
});

function addIteration(sums: RawIterations, iteration: JsonRecord, isCompaction: boolean): void {
  const input = countOf(iteration['input_tokens']) ?? 0;
  const read = countOf(iteration['cache_read_input_tokens']) ?? 0;
  const written = cacheWritesOf(iteration);
  const context = input + read + written;
  sums.largest = Math.max(sums.largest, context);
  if (!isCompaction) {
    sums.messages += context;
    return;
  }
  sums.input += input;
  sums.output += countOf(iteration['output_tokens']) ?? 0;
  sums.cacheRead += read;
  sums.cacheWrite += written;
  sums.cacheWrite1h += hourWritesOf(iteration);
}
