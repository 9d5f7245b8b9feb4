// A build event as readers see it: an allow-list, field by field. An error is rendered for each reader from its code and
// parameters, so that a limit's reset is in the reader's time zone and relative times are current. A row that a product
// wrote itself may hold a raw text and no code: the text is mapped here. All other texts are cleaned. Only operators see
// the texts as they are stored.

import type { ErrorCode, ErrorParams } from '../errors/codes.ts';
import { isErrorCode } from '../errors/codes.ts';
import { mapProviderError } from '../errors/map-provider-error.ts';
import type { Redact } from '../errors/redact.ts';
import { renderError } from '../errors/render-error.ts';
import { safeParams } from '../errors/safe-params.ts';
import type { BuildEvent, StoredError } from './build-event.ts';
import { cleanTexts, mapTexts } from './clean-texts.ts';
import type { EventReader } from './translate-error.ts';

export type BuildEventView = ReturnType<typeof toBuildEventView>;

export function toBuildEventView(event: BuildEvent, reader: EventReader) {
  const error = event.error ? errorView(event.error, event.createdAt, reader) : null;
  const { title, description, data } = cleanTexts(event, error?.message, reader);
  return {
    id: event.id,
    buildId: event.buildId,
    userId: event.userId ?? null,
    type: event.type,
    data,
    createdAt: event.createdAt,
    userVisible: event.userVisible,
    phase: event.phase ?? null,
    title,
    description,
    overallProgress: event.overallProgress ?? null,
    finished: event.finished,
    previewUrl: event.previewUrl ?? null,
    durationSeconds: event.durationSeconds ?? null,
    error,
    /** For clients that predate `error`. */
    error_message: error?.message ?? null,
  };
}

/** For operators: all texts as they are stored, redacted even if a product stored a secret. */
export function toOperatorView(event: BuildEvent, reader: EventReader, redact: Redact) {
  const { internalMessage, message } = event.error ?? {};
  const { title = null, description = null } = event;
  return {
    organizationId: event.organizationId ?? null,
    ...toBuildEventView(event, reader),
    title: title && redact(title),
    description: description && redact(description),
    data: mapTexts(event.data, redact),
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
