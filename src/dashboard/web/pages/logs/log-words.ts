// Log entries in words: names of types and levels, the state of a level, and the metadata as short pairs.

import type { LogEntry, LogLevel, LogType } from '../../../api/logs.ts';
import type { State } from '../../charts/tone.ts';

export const LOG_TYPES: readonly { readonly value: LogType; readonly text: string }[] = [
  { value: 'request', text: 'requests' },
  { value: 'ai_limit', text: 'limits of providers' },
  { value: 'error', text: 'errors' },
  { value: 'capacity', text: 'capacity' },
  { value: 'performance', text: 'performance' },
  { value: 'audit', text: 'actions of operators' },
];

export const LOG_LEVELS: readonly LogLevel[] = ['info', 'warn', 'error', 'critical'];

const STATES: Readonly<Record<LogLevel, State>> = {
  debug: 'unknown',
  info: 'good',
  warn: 'degraded',
  error: 'bad',
  critical: 'bad',
};

const MAX_PAIRS = 8;
const MAX_VALUE_CHARACTERS = 80;

export function levelState(level: LogLevel): State {
  return STATES[level];
}

/** The fields that explain most come first: a line has room for a few. */
const FIRST_FIELDS = ['code', 'model', 'provider', 'latencyMs', 'costUsd', 'organizationId'];

/** `code=TIMEOUT model=gpt-5`: the scalar fields, shortened. */
export function metadataPairs({ metadata = {} }: LogEntry): readonly (readonly [string, string])[] {
  return (
    Object.entries(metadata)
      .filter(([, value]) => value !== null && typeof value !== 'object' && value !== '')
      // `OK` only repeats the level of a line without a failure.
      .filter(([name, value]) => name !== 'code' || value !== 'OK')
      .toSorted(([one], [other]) => rank(one) - rank(other))
      .slice(0, MAX_PAIRS)
      .map(([name, value]) => [name, shorten(String(value))])
  );
}

/** Entries have no id: time, server and message identify an entry, a counter separates equal entries. */
export function keyedEntries(
  entries: readonly LogEntry[],
): readonly (LogEntry & { key: string })[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const base = `${entry.at} ${entry.serverId ?? ''} ${entry.requestId ?? ''} ${entry.message}`;
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return { ...entry, key: `${base} ${count}` };
  });
}

function rank(name: string): number {
  const place = FIRST_FIELDS.indexOf(name);
  return place < 0 ? FIRST_FIELDS.length : place;
}

function shorten(text: string): string {
  return text.length <= MAX_VALUE_CHARACTERS ? text : `${text.slice(0, MAX_VALUE_CHARACTERS - 1)}…`;
}
