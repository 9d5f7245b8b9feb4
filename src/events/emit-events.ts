// Takes in what a product reports about a build. When it resolves the events are stored, in the order they were told,
// and whoever follows the build is woken. While the store is away the answer is CAPACITY_EXHAUSTED. A usage limit
// among the errors is passed on; whether it may hold for everyone is not decided here, and its failing is no failure
// of the report.

import type { Verdict } from '../errors/codes.ts';
import type { Redact } from '../errors/redact.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { BuildEvent, BuildKey, EventError, NewBuildEvent } from './build-event.ts';
import type { BuildEventStore } from './build-event-store.ts';
import { parseReport, type ReportedEvent } from './parse-report.ts';
import { isFailure, separateError } from './separate-error.ts';
import { type EventReader, translateError } from './translate-error.ts';

/** A failure that was reported: what it means, and everything that may tell whose it is. */
export type ReportedFailure = {
  readonly verdict: Verdict;
  readonly failure: unknown;
  readonly data: unknown;
};

export type EmitParts = {
  readonly store: Pick<BuildEventStore, 'append'>;
  readonly redact: Redact;
  /** Told after the events are stored. */
  readonly onChanged: (build: BuildKey) => void;
};

export type Emission = {
  readonly build: BuildKey;
  readonly body: unknown;
  readonly reader: EventReader;
  /** Told of each failure in the report, before the answer. */
  readonly onFailure: (failure: ReportedFailure) => Promise<void>;
};

export type EmitEvents = (emission: Emission) => Promise<readonly BuildEvent[]>;

export function createEmitEvents(parts: EmitParts): EmitEvents {
  return async ({ build, body, reader, onFailure }) => {
    const read = parseReport(body).map((event) => readEvent(event, build, reader, parts.redact));
    const events = read.map(({ event }) => event);
    const ids = await store(parts, events);
    parts.onChanged(build);
    for (const { reported } of read) if (reported) await onFailure(reported);
    return events.map((event, index) => ({ ...event, id: ids[index] ?? 0 }));
  };
}

async function store(
  { store: kept }: EmitParts,
  events: readonly NewBuildEvent[],
): Promise<readonly number[]> {
  try {
    return await kept.append(events);
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
  const { data, error: inData } = separateError(given.data ?? {});
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
