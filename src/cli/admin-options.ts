// The common options of admin commands and the parsers of their values. An invalid value is refused before any request.

import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../kernel/clock.ts';
import { usdToNanos } from '../kernel/money.ts';

/** A command with the options of every admin command. */
export function adminCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print the result as JSON')
    .option('--config <file>', 'read this file instead of spillway.yaml');
}

/** Epoch milliseconds from a number, an ISO time, or a time from now such as +2h. */
export function readTimestamp(text: string): number {
  const value = /^\d{1,16}$/.test(text)
    ? Number(text)
    : (fromNow(text) ?? (ISO.test(text) ? Date.parse(text) : NaN));
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError(
    'It must be epoch milliseconds, an ISO time such as 2030-01-31T18:00:00Z, or a time from now such as +90m, +2h or +7d.',
  );
}

function fromNow(text: string): number | undefined {
  const [, count, unit] = /^\+(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS.get(unit ?? '');
  return unitMs === undefined ? undefined : systemClock.now() + Number(count) * unitMs;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

export function readUsd(text: string): number {
  try {
    usdToNanos(text);
    return Number(text);
  } catch {
    throw new InvalidArgumentError('It must be an amount of US dollars such as 250 or 12.50.');
  }
}

export function readCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** `none` removes an optional value. It stays a word here, because commander turns null into text. */
export function orNone<T>(read: (text: string) => T): (text: string) => T | 'none' {
  return (text) => (text === 'none' ? text : read(text));
}

/** For repeatable options. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
