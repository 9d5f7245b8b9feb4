// The error of an unusable configuration: one sentence with the setting, its value and the allowed values. The command
// line prints it without a stack trace and exits with 2. Callers mask the values of secrets.

import { inspect } from 'node:util';

const MAX_SHOWN = 80;

/** A setting has a wrong value; `message` is one sentence with the setting, its value and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** "PORT is "abc", but it must be a whole number from 0 to 65535." */
export function wrongValue(name: string, shown: string, allowed: string): ConfigError {
  return new ConfigError(`${name} is ${shown}, but it must be ${allowed}.`);
}

/** Formats a value for a sentence: on one line, text in quotes, long values truncated. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(truncate(value));
  return truncate(
    inspect(value, { breakLength: Number.POSITIVE_INFINITY, compact: true, depth: 2 }),
  );
}

/** Formats a user-chosen name for a path: quoted if it contains unusual characters. */
export function showName(name: string): string {
  return /^[\w./*-]{1,80}$/.test(name) ? name : showValue(name);
}

/** The type of a value without its content: a misplaced value may be a secret. */
export function showShape(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a map';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function truncate(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
