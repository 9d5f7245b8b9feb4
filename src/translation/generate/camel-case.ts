// Brings the names of a Gemini request to camelCase, except inside schemas, arguments and function responses: the
// caller chooses those names. Two spellings of one name are refused: limits are counted by the caller's own spellings, and the
// last one would win here.

import { TranslationProblem } from '../dialect.ts';
import { isObject } from '../fields.ts';
import type { JsonObject } from '../neutral-request.ts';

const FREE_FORM: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

export function camelCase(object: JsonObject): Record<string, unknown> {
  const seen = new Set<string>();
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const camel = name.includes('_') ? camelName(name) : name;
      if (seen.has(camel)) throw new TranslationProblem(name, 'is stated in two spellings');
      seen.add(camel);
      return [camel, FREE_FORM.has(camel) ? value : inner(value)];
    }),
  );
}

function camelName(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return isObject(value) ? camelCase(value) : value;
}
