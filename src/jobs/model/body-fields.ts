// The fields of a stored message body. A body that is not a JSON object, or is nested too deeply to be written again, has
// none.

import { isNestedTooDeeply } from '../../kernel/json-depth.ts';

export function fieldsOfBody(body: string | undefined): Readonly<Record<string, unknown>> {
  return parseFields(body) ?? {};
}

/** Undefined for a body without fields: often the very reason why a message is a dead letter. */
export function parseFields(
  body: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (body === undefined || isNestedTooDeeply(body)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return { ...parsed };
  } catch {
    return undefined;
  }
}
