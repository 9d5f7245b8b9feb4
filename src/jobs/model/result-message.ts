// The message of a finished job for the results queue: the job's result, and the fields of the producer's own message,
// by which existing consumers recognise their work. Spillway's fields win. A producer's field that is named like a
// field of results is left out even if this result lacks that field: a reader would take it for Spillway's.

import { fieldsOfBody } from './body-fields.ts';
import type { Job, JobResult } from './job.ts';
import type { JobMessage } from './job-message.ts';
import { toResultView } from './job-view.ts';

/** Larger fields, such as inline images, are left out: results stay small, and the store has the whole message. */
const MAX_FIELD_CHARACTERS = 65_536;
const MAX_OWN_CHARACTERS = 1_048_576;

const RESULT_FIELDS: ReadonlySet<string> = new Set([
  'status',
  'output',
  'response',
  'usage',
  'costUsd',
  'error',
  'attempts',
  'startedAt',
  'finishedAt',
]);

/** The text begins with the id, so that a relay finds it without parsing. */
export function resultBody(
  job: Job,
  result: JobResult | undefined,
  message: JobMessage | undefined,
): string {
  const { locale = 'en', timeZone = 'UTC', updatedAt: now } = job;
  const view = toResultView(job, result, { locale, timeZone, now });
  return JSON.stringify({ ...view, ...ownFields(message, view) });
}

function ownFields(message: JobMessage | undefined, view: object): Record<string, unknown> {
  const body = message?.source?.body ?? '';
  const isFree = (name: string) =>
    !RESULT_FIELDS.has(name) && Reflect.get(view, name) === undefined;
  const own = Object.entries(fieldsOfBody(body)).filter(([name]) => isFree(name));
  return Object.fromEntries(body.length <= MAX_FIELD_CHARACTERS ? own : smallFields(own));
}

/** In the order of the message, as long as they fit together. */
function smallFields(fields: readonly (readonly [string, unknown])[]) {
  let size = 0;
  return fields.filter(([, value]) => {
    const { length } = JSON.stringify(value);
    if (length > MAX_FIELD_CHARACTERS || size + length > MAX_OWN_CHARACTERS) return false;
    size += length;
    return true;
  });
}
