// A build event as readers see it: an allow-list, field by field. An error is rendered for each reader from its code and
// parameters, so that a limit's reset is in the reader's time zone and relative times are current. A row that a product
// wrote itself may hold a raw text and no code: the text is mapped here, and errors are removed from its data as they
// are from reported events. Only operators see the raw text.

import type { ErrorCode, ErrorParams } from '../errors/codes.ts';
import { isErrorCode } from '../errors/codes.ts';
import { mapProviderError } from '../errors/map-provider-error.ts';
import type { Redact } from '../errors/redact.ts';
import { renderError } from '../errors/render-error.ts';
import { safeParams } from '../errors/safe-params.ts';
import type { BuildEvent, StoredError } from './build-event.ts';
import { extractError } from './extract-error.ts';
import type { EventReader } from './translate-error.ts';

export type BuildEventView = ReturnType<typeof toBuildEventView>;

export function toBuildEventView(event: BuildEvent, reader: EventReader) {
  const error = event.error ? errorView(event.error, event.createdAt, reader) : null;
  return {
    id: event.id,
    buildId: event.buildId,
    userId: event.userId ?? null,
    type: event.type,
    data: event.error?.code === undefined ? extractError(event.data).data : event.data,
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
    /** For clients that predate `error`. */
    error_message: error?.message ?? null,
  };
}

/** For operators: with the raw text, redacted even if a product stored a secret. */
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
