// The counters of a running gateway, read from /metrics. An unknown name throws instead of reading as zero, because a
// misspelt counter would look like a good result.

import { BENCH_ADMIN_KEY } from './gateway-settings.ts';

/** The sum over all labels of the counter with this name, written with dots. */
export type CounterOf = (name: string) => number;

export async function readCounters(port: number, signal: AbortSignal): Promise<CounterOf> {
  const headers = { authorization: `Bearer ${BENCH_ADMIN_KEY}` };
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers, signal });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(
      `The gateway's metrics cannot be read (${answer.status}): ${text.slice(0, 400)}`,
    );
  return parseCounters(text);
}

/** A counter that has counted nothing yet has a type and no value. */
export function parseCounters(text: string): CounterOf {
  const sums = new Map<string, number>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) counter$/gm)) sums.set(name, 0);
  for (const [, name = '', value] of text.matchAll(/^([A-Za-z0-9_]+)(?:\{.*\})? (\S+)$/gm)) {
    const before = sums.get(name);
    if (before !== undefined) sums.set(name, before + Number(value));
  }
  return (name) => {
    const sum = sums.get(`${name.replaceAll('.', '_')}_total`);
    if (sum === undefined) throw new Error(`The gateway has no counter ${name}`);
    return sum;
  };
}
