// Finds the large fields of a message that its delivered body contains under the same names. The store keeps the body
// and need not store these fields twice.

import { isDeepStrictEqual } from 'node:util';
import type { JobMessage } from '../model/job-message.ts';

const LARGE_FIELDS = ['prompt', 'images', 'request', 'metadata'] as const;

export function fieldsInBody(
  message: JobMessage,
  body: unknown,
): NonNullable<JobMessage['inBody']> {
  const fields: JobMessage = typeof body === 'object' && body !== null ? body : {};
  return LARGE_FIELDS.filter(
    (name) => message[name] !== undefined && isDeepStrictEqual(message[name], fields[name]),
  );
}
