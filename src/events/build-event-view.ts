// What is shown of a build event: an allow-list, field by field. An error is told anew for each reader, from its code
// and parameters, so that a limit's end is said in the reader's own zone and is not "in 12 minutes" an hour later.
// Rows that a product wrote itself may hold a raw text and no code: it is mapped here, and its data is cleaned as ours
// was when it came in. What was really said is shown to operators alone.

import type { ErrorCode, ErrorParams } from '../errors/codes.ts';
import { isErrorCode } from '../errors/codes.ts';
import { mapProviderError } from '../errors/map-provider-error.ts';
import type { Redact } from '../errors/redact.ts';
import { renderError } from '../errors/render-error.ts';
import { safeParams } from '../errors/safe-params.ts';
import type { BuildEvent, StoredError } from './build-event.ts';
import { separateError } from './separate-error.ts';
import type { EventReader } from './translate-error.ts';

export type BuildEventView = ReturnType<typeof toBuildEventView>;

export function toBuildEventView(event: BuildEvent, reader: EventReader) {
  const error = event.error ? errorView(event.error, event.createdAt, reader) : null;
  return {
    id: event.id,
    buildId: event.buildId,
    userId: event.userId ?? null,
    type: event.type,
    data: event.error?.code === undefined ? separateError(event.data).data : event.data,
    createdAt: event.createdAt,
    userVisible: event.userVisible,
    phase: event.phase ?? null,
    title: event.title ?? null,
    description: event.description ?? null,
    overallProgress: event.overallProgress ?? null,
    finished: event.finished,
    previewUrl: event.previewUrl ?? null,
    durationSeconds: event.durationSeconds ?? null,
    error,
    /** For clients of before there was `error`. */
    error_message: error?.message ?? null,
  };
}

/** Everything, for operators; without secrets even where a product stored some. */
export function toOperatorView(event: BuildEvent, reader: EventReader, redact: Redact) {
  const { internalMessage, message } = event.error ?? {};
  return {
    organizationId: event.organizationId ?? null,
    ...toBuildEventView(event, reader),
    internalMessage: internalMessage === undefined ? null : redact(internalMessage),
    userErrorMessage: message ?? null,
  };
}

function errorView(stored: StoredError, createdAt: number, reader: EventReader) {
  const { code, params } = readStored(stored, createdAt);
  return { code, params, message: renderError(code, params, reader) };
}

function readStored(
  { code, params, internalMessage }: StoredError,
  now: number,
): { readonly code: ErrorCode; readonly params: ErrorParams } {
  if (code !== undefined && isErrorCode(code)) return { code, params: safeParams(code, params) };
  return mapProviderError(internalMessage, { now });
}
