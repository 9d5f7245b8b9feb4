// Options that the operators' commands share, and how their texts become values. What is wrong with a text is
// said before anything is asked of anybody.

import { type Command, InvalidArgumentError } from 'commander';
import { usdToNanos } from '../kernel/money.ts';

/** A command that talks to the gateway: every one takes these. */
export function adminCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print the answer as JSON')
    .option('--config <file>', 'read this file instead of spillway.yaml');
}

/** Epoch milliseconds from either way of writing a moment. */
export function readMoment(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : ISO.test(text) ? Date.parse(text) : NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError(
    'It must be epoch milliseconds or an ISO time such as 2026-01-31T18:00:00Z.',
  );
}

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

/** `none` takes an optional value away. It stays a word here, because commander makes a text of null. */
export function orNone<T>(read: (text: string) => T): (text: string) => T | 'none' {
  return (text) => (text === 'none' ? text : read(text));
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
