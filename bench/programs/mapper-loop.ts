// Maps errors repeatedly in its own process and reports the cost: mapping ordinary bodies, parsing the same bodies, and
// mapping 8 KiB texts, alternating in short slices.

import { z } from 'zod';
import { mapProviderError } from '../../src/errors/map-provider-error.ts';
import { HOSTILE_TEXTS, ORDINARY, PLAIN_TEXT } from './error-samples.ts';
import { serveOrders } from './serve-orders.ts';

const SLICE_MS = 20;
const NOW = Date.UTC(2026, 0, 15, 12);

const Round = z.object({ seconds: z.number().positive() });

const CONTENDERS: ReadonlyMap<string, () => number> = new Map([
  ['parse', parseOrdinary],
  ['map', mapOrdinary],
  ['plain', () => mapText(PLAIN_TEXT)],
  ...Object.entries(HOSTILE_TEXTS).map(
    ([name, text]) => [`hostile: ${name}`, () => mapText(text)] as const,
  ),
]);

/** Consumes the results, so that the compiler cannot eliminate the work. */
let yielded = 0;

serveOrders({
  round(args) {
    const { seconds } = Round.parse(args);
    const turns = Math.max(1, Math.round((seconds * 1_000) / SLICE_MS / CONTENDERS.size));
    const costs = new Map<string, { micros: number; times: number }>();
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [name, work] of CONTENDERS) {
        const cost = costs.get(name) ?? { micros: 0, times: 0 };
        costs.set(name, cost);
        runSlice(work, cost);
      }
    }
    return Object.fromEntries(
      [...costs].map(([name, { micros, times }]) => [name, micros / times]),
    );
  },
});

function runSlice(work: () => number, cost: { micros: number; times: number }): void {
  const endsAt = performance.now() + SLICE_MS;
  const before = process.cpuUsage();
  do {
    for (let repeat = 0; repeat < 8; repeat += 1) yielded += work();
    cost.times += 8;
  } while (performance.now() < endsAt);
  const { user, system } = process.cpuUsage(before);
  cost.micros += user + system;
}

function parseOrdinary(): number {
  let isObject = 0;
  for (const { body } of ORDINARY) {
    const parsed: unknown = JSON.parse(body);
    isObject += Number(typeof parsed === 'object');
  }
  return isObject;
}

function mapOrdinary(): number {
  let length = 0;
  for (const { provider, status, headers, body } of ORDINARY) {
    length += mapProviderError(body, { provider, status, headers, now: NOW }).code.length;
  }
  return length;
}

function mapText(text: string): number {
  return mapProviderError(text, { provider: 'anthropic', status: 429, now: NOW }).code.length;
}
