// What is said when a configuration cannot be used: one sentence that names the setting, its value and what
// is allowed. The command line prints it without a stack and exits with 2. Values of secrets come in masked.

import { inspect } from 'node:util';

const MAX_SHOWN = 80;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** "PORT is "abc", but it must be a whole number from 0 to 65535." */
export function wrongValue(name: string, shown: string, allowed: string): ConfigError {
  return new ConfigError(`${name} is ${shown}, but it must be ${allowed}.`);
}

/** A value as it can stand in a sentence: on one line, quoted where it is text, cut where it is long. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value));
  return cut(inspect(value, { breakLength: Number.POSITIVE_INFINITY, compact: true, depth: 2 }));
}

/** A name somebody else chose, as it can stand in a path: quoted when it could be misread. */
export function showName(name: string): string {
  return /^[\w./*-]{1,80}$/.test(name) ? name : showValue(name);
}

/** What a value is, without a word of what is in it: the wrong thing in the wrong place may be a secret. */
export function showShape(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a map';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
