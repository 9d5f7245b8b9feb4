// The stored text of a job's message. A foreign message is stored as it was delivered. Its large fields that Spillway reads
// under their own names are not stored a second time, but parsed from the delivered body when the message is read.

import { isDeepStrictEqual } from 'node:util';
import type { JobMessage } from './job-message.ts';

const LARGE_FIELDS = ['prompt', 'images', 'request', 'metadata'] as const;
type LargeField = (typeof LARGE_FIELDS)[number];

/** The large fields of the message that are equal in the body that it was read from. */
export function fieldsInBody(message: JobMessage, body: unknown): readonly LargeField[] {
  const fields: JobMessage = typeof body === 'object' && body !== null ? body : {};
  return LARGE_FIELDS.filter(
    (name) => message[name] !== undefined && isDeepStrictEqual(message[name], fields[name]),
  );
}

export function toStoredText(message: JobMessage): string {
  const { inBody = [] } = message;
  if (inBody.length === 0) return JSON.stringify(message);
  const leftOut = Object.fromEntries(inBody.map((name) => [name, undefined]));
  return JSON.stringify({ ...message, ...leftOut });
}

export function fromStoredText(text: string): JobMessage {
  const message: JobMessage = JSON.parse(text);
  const { inBody = [], source } = message;
  if (!source || inBody.length === 0) return message;
  const fields: JobMessage = JSON.parse(source.body);
  return { ...message, ...Object.fromEntries(inBody.map((name) => [name, fields[name]])) };
}
