// Accepts a product's report about a build. When it resolves, the events are stored in the order of the report and the
// build's live readers are notified. While the store is unavailable it rejects with CAPACITY_EXHAUSTED. Each reported
// failure goes to `onFailure`, which decides whether a usage limit in it applies to all servers.

import type { Verdict } from '../errors/codes.ts';
import type { Redact } from '../errors/redact.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { BuildEvent, BuildKey, EventError, NewBuildEvent } from './build-event.ts';
import type { BuildEventStore } from './build-event-store.ts';
import { extractError, isFailure } from './extract-error.ts';
import { parseReport, type ReportedEvent } from './parse-report.ts';
import { type EventReader, translateError } from './translate-error.ts';

/** A reported failure: its verdict, and the fields from which the provider may be inferred. */
export type ReportedFailure = {
  readonly verdict: Verdict;
  readonly failure: unknown;
  readonly data: unknown;
};

export type EmitParts = {
  readonly store: Pick<BuildEventStore, 'append'>;
  readonly redact: Redact;
  /** Called after the events are stored. */
  readonly onChanged: (build: BuildKey) => void;
};

export type Emission = {
  readonly build: BuildKey;
  readonly body: unknown;
  readonly reader: EventReader;
  /** Called for each failure in the report, before the report is answered. */
  readonly onFailure: (failure: ReportedFailure) => Promise<void>;
};

export type EmitEvents = (emission: Emission) => Promise<readonly BuildEvent[]>;

export function createEmitEvents(parts: EmitParts): EmitEvents {
  return async ({ build, body, reader, onFailure }) => {
    const read = parseReport(body).map((event) => readEvent(event, build, reader, parts.redact));
    const events = read.map(({ event }) => event);
    const ids = await append(parts, events);
    parts.onChanged(build);
    for (const { reported } of read) if (reported) await onFailure(reported);
    return events.map((event, index) => ({ ...event, id: ids[index] ?? 0 }));
  };
}

async function append(
  { store }: EmitParts,
  events: readonly NewBuildEvent[],
): Promise<readonly number[]> {
  try {
    return await store.append(events);
  } catch (cause) {
    if (cause instanceof SpillwayError) throw cause;
    const params = { retryAfterMs: STORE_RETRY_AFTER_MS };
    throw new SpillwayError('CAPACITY_EXHAUSTED', 'events cannot be stored', { params, cause });
  }
}

const STORE_RETRY_AFTER_MS = 5000;

type ReadEvent = { readonly event: NewBuildEvent; readonly reported?: ReportedFailure };

function readEvent(
  given: ReportedEvent,
  build: BuildKey,
  reader: EventReader,
  redact: Redact,
): ReadEvent {
  const { data, error: inData } = extractError(given.data ?? {});
  const failure = isFailure(given.error) ? given.error : inData;
  if (failure === undefined) return { event: eventOf(given, build, data, undefined, reader.now) };
  const { verdict, error } = translateError(failure, reader, redact);
  const event = eventOf(given, build, data, error, reader.now);
  return { event, reported: { verdict, failure, data } };
}

function eventOf(
  given: ReportedEvent,
  build: BuildKey,
  data: unknown,
  error: EventError | undefined,
  createdAt: number,
): NewBuildEvent {
  return {
    ...build,
    type: given.type,
    data,
    userId: given.userId ?? undefined,
    userVisible: given.userVisible ?? true,
    phase: given.phase ?? undefined,
    title: given.title ?? undefined,
    description: given.description ?? undefined,
    overallProgress: given.overallProgress ?? undefined,
    finished: given.finished ?? false,
    previewUrl: given.previewUrl ?? undefined,
    durationSeconds: given.durationSeconds ?? undefined,
    error,
    createdAt,
  };
}
