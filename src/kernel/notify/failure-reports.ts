// The port to a tracker of failures, and the selection of its reports: failures that an operator has to act on, with code,
// provider and model. Throttles, limits and callers' mistakes are not reported. A report is built from a log entry, by an
// allow-list of its metadata, and never contains the message of an exception.

import type { Log, LogEntry } from '../log.ts';

export type FailureReport = {
  /** A sentence of Spillway's own. */
  readonly message: string;
  readonly level: 'warning' | 'error' | 'fatal';
  readonly code: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly requestId: string | undefined;
  /** The lines of a stack below its message. */
  readonly frames: readonly string[];
};

export type FailureReports = {
  /** Never throws and never waits. */
  report(failure: FailureReport): void;
  /** Sends what is buffered, within a bounded time. Idempotent. */
  close(): Promise<void>;
};

/** Codes of failures other than throttles, limits and callers' mistakes. */
const REPORTED_CODES: ReadonlySet<string> = new Set([
  'PROVIDER_UNAVAILABLE',
  'NETWORK_TIMEOUT',
  'AUTH_FAILED',
  'LOOP_DETECTED',
  'INTERNAL',
]);

/** A log that also reports the failures among its entries. */
export function reportingLog(next: Log, reports: Pick<FailureReports, 'report'>): Log {
  return {
    write(entry) {
      next.write(entry);
      const failure = failureOf(entry);
      if (failure) reports.report(failure);
    },
    flush: () => next.flush(),
  };
}

/** Undefined for an entry that is not reported. */
export function failureOf(entry: LogEntry): FailureReport | undefined {
  const { metadata = {}, requestId } = entry;
  const code = textOf(metadata['code']);
  const frames = framesOf(metadata['stack']);
  if (code === undefined ? !isError(entry) : !REPORTED_CODES.has(code)) return undefined;
  // Entries about retries, and about refusals that were answered elsewhere, are information and not failures.
  if (entry.level === 'info' || entry.level === 'debug') return undefined;
  const provider = textOf(metadata['provider']);
  const model = textOf(metadata['model']);
  const known = code ?? 'INTERNAL';
  return {
    message:
      code === undefined && frames.length === 0 ? entry.message : sentenceOf(known, provider),
    level: entry.level === 'critical' ? 'fatal' : entry.level === 'error' ? 'error' : 'warning',
    code: known,
    provider,
    model,
    requestId,
    frames,
  };
}

function isError({ level, type }: LogEntry): boolean {
  return type === 'error' && (level === 'error' || level === 'critical');
}

/** The text of an exception may contain a caller's data, so the sentence is built from the code. */
function sentenceOf(code: string, provider: string | undefined): string {
  return provider === undefined ? code : `${code} at ${provider}`;
}

const MAX_TEXT = 200;
const MAX_FRAMES = 50;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
}

function framesOf(stack: unknown): readonly string[] {
  if (typeof stack !== 'string') return [];
  return stack
    .split('\n')
    .filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
