// Gemini's own schema language (a subset of OpenAPI 3 with types in capitals) → JSON Schema. The other direction is not
// needed: Gemini accepts JSON Schema in `parametersJsonSchema` and `responseJsonSchema`.

import { isObject } from '../fields.ts';
import type { JsonObject } from '../neutral-request.ts';

export function toJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _ordering, ...rest } = schema;
  const converted = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, convert(name, value)]),
  );
  return nullable === true ? { ...converted, type: [converted['type'], 'null'] } : converted;
}

function convert(name: string, value: unknown): unknown {
  if (name === 'type' && typeof value === 'string') return value.toLowerCase();
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, isObject(each) ? toJsonSchema(each) : each]),
    );
  if (name === 'items' && isObject(value)) return toJsonSchema(value);
  if (name === 'anyOf' && Array.isArray(value))
    return value.map((each: unknown) => (isObject(each) ? toJsonSchema(each) : each));
  // Counts are texts in Google's JSON.
  if (COUNTS.has(name) && typeof value === 'string') return Number(value);
  return value;
}

const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
