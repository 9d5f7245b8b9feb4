// The arguments of a tool call as an object, for formats that have no text for them.

import { isObject } from './fields.ts';
import type { JsonObject } from './neutral-request.ts';

/**
 * A model may write invalid JSON: the text is passed on under one fixed name, so that the next turn shows it to the
 * model.
 */
export function argumentsObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : { value };
  } catch {
    return { malformed_arguments: text };
  }
}
