// Numbers with a unit: durations (milliseconds, or "30s", "10m", "1h", "7d") and sizes (bytes, or "32MiB").
// A number without a unit has the unit at the end of the setting's name.

import { z } from 'zod';
import type { Kind } from './kind.ts';

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const CENTURY_MS = 36_500 * MS.d;

export function duration(minMs: number, maxMs = CENTURY_MS): Kind<number> {
  return withUnit(MS, minMs, maxMs, 'a duration (milliseconds, or like 30s, 10m, 1h)');
}

export function size(minBytes: number, maxBytes = 2 ** 50): Kind<number> {
  return withUnit(BYTES, minBytes, maxBytes, 'a size (bytes, or like 512KiB, 32MiB)');
}

type Units = Readonly<Record<string, number>>;

function withUnit(units: Units, min: number, max: number, what: string): Kind<number> {
  const display = (value: number): string => inLargestUnit(units, value);
  const number = z
    .string()
    .trim()
    .transform((raw) => parseWithUnit(units, raw));
  return {
    schema: z.union([z.number(), number]).pipe(z.int().min(min).max(max)),
    allowed:
      max >= CENTURY_MS
        ? `${what} of ${display(min)} or more`
        : `${what} from ${display(min)} to ${display(max)}`,
    write: String,
    display,
  };
}

function parseWithUnit(units: Units, raw: string): number {
  const [, digits, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)\s*([A-Za-z]*)$/.exec(raw) ?? [];
  const known = Object.entries(units).find(([name]) => name.toLowerCase() === unit.toLowerCase());
  const factor = unit === '' ? 1 : known?.[1];
  return digits === undefined || factor === undefined
    ? Number.NaN
    : Math.round(Number(digits) * factor);
}

/** 120000 → "2m", 33554432 → "32MiB": the largest unit with a whole number. */
function inLargestUnit(units: Units, value: number): string {
  const fitting = Object.entries(units)
    .filter(([, factor]) => value >= factor && value % factor === 0)
    .sort(([, one], [, other]) => other - one)[0];
  return fitting ? `${value / fitting[1]}${fitting[0]}` : String(value);
}
