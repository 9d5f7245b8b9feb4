// The arguments of a tool call as an object, for formats that have no text for them.

import { isObject } from './fields.ts';
import type { JsonObject } from './neutral-request.ts';

/** A model may write broken JSON: it is passed on under a name of its own, so that the next turn shows what was written. */
export function argumentsObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : { value };
  } catch {
    return { malformed_arguments: text };
  }
}
