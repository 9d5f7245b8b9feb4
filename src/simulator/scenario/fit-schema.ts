// Generates a value that fits a JSON schema: tool call arguments or a JSON answer. Covers the parts that
// tools use (types, enums, bounds, formats, local references, unions); `pattern` and conditionals are not
// solved. Deterministic: the same schema and hint yield the same value.

import type { JsonRecord } from '../read-json.ts';
import { asList, asNumber, asRecord, asText, isRecord } from '../read-json.ts';
import { chooseDescribed } from './choose-described.ts';

/** Below this depth only required properties are filled, so that recursive schemas terminate. */
const FULL_DEPTH = 4;
const MAX_DEPTH = 12;

/** `hint` fills free strings, so that a tool call reflects the prompt; the whole prompt chooses among described values. */
export function fitSchema(schema: unknown, hint: string, prompt = hint): unknown {
  return fit(schema, { root: schema, hint, prompt, depth: 0 });
}

type FitContext = {
  readonly root: unknown;
  readonly hint: string;
  readonly prompt: string;
  readonly depth: number;
};

function fit(schema: unknown, context: FitContext): unknown {
  if (context.depth > MAX_DEPTH) return null;
  const rule = resolve(asRecord(schema), context.root);
  if ('const' in rule) return rule.const;
  if (Array.isArray(rule.enum)) {
    const described = chooseDescribed(rule.enum, asText(rule.description), context.prompt);
    return described ? (described.value ?? rule.enum.at(-1)) : rule.enum[0];
  }
  const deeper = { ...context, depth: context.depth + 1 };
  const [option] = asList(rule.anyOf ?? rule.oneOf);
  if (option !== undefined) return fit({ ...without(rule), ...asRecord(option) }, deeper);
  switch (typeOf(rule)) {
    case 'object':
      return fitObject(rule, deeper);
    case 'array':
      return fitArray(rule, deeper);
    case 'integer':
    case 'number':
      return fitNumber(rule);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return fitString(rule, context.hint);
  }
}

/** Follows `#/…` references and merges the members of `allOf`. */
function resolve(rule: JsonRecord, root: unknown): JsonRecord {
  const reference = asText(rule.$ref);
  const target = reference?.startsWith('#/') ? lookUp(root, reference) : undefined;
  const base = target ? { ...target, ...rule, $ref: undefined } : rule;
  const parts = asList(base.allOf).map(asRecord);
  if (parts.length === 0) return base;
  const properties = Object.assign({}, ...parts.map((part) => asRecord(part.properties)));
  const required = parts.flatMap((part) => asList(part.required));
  return {
    ...Object.assign({}, ...parts),
    ...base,
    allOf: undefined,
    properties: { ...properties, ...asRecord(base.properties) },
    required: [...required, ...asList(base.required)],
  };
}

function lookUp(root: unknown, reference: string): JsonRecord {
  let found = asRecord(root);
  for (const step of reference.slice(2).split('/'))
    found = asRecord(found[step.replaceAll('~1', '/').replaceAll('~0', '~')]);
  return found;
}

function without(rule: JsonRecord): JsonRecord {
  return { ...rule, anyOf: undefined, oneOf: undefined };
}

/** Gemini writes types in capitals; JSON Schema allows a list of them. */
function typeOf(rule: JsonRecord): string {
  const stated = Array.isArray(rule.type) ? rule.type[0] : rule.type;
  if (typeof stated === 'string') return stated.toLowerCase();
  if (isRecord(rule.properties)) return 'object';
  return rule.items === undefined ? 'string' : 'array';
}

function fitObject(rule: JsonRecord, context: FitContext): JsonRecord {
  const required = asList(rule.required);
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(asRecord(rule.properties)))
    if (context.depth <= FULL_DEPTH || required.includes(name)) made[name] = fit(schema, context);
  return made;
}

function fitArray(rule: JsonRecord, context: FitContext): readonly unknown[] {
  const items = resolve(asRecord(rule.items), context.root);
  const values: readonly unknown[] = asList(items.enum);
  const described = chooseDescribed(values, asText(items.description), context.prompt);
  if (described && !rule.minItems) return described.value === undefined ? [] : [described.value];
  const least = asNumber(rule.minItems) ?? (context.depth <= FULL_DEPTH ? 1 : 0);
  const most = asNumber(rule.maxItems) ?? least;
  return Array.from({ length: Math.min(least, Math.max(most, 0), 100) }, () =>
    fit(rule.items, context),
  );
}

function fitNumber(rule: JsonRecord): number {
  const isWhole = typeOf(rule) === 'integer';
  const step = asNumber(rule.multipleOf) ?? 1;
  const lowest = asNumber(rule.minimum) ?? above(asNumber(rule.exclusiveMinimum), isWhole);
  const highest = asNumber(rule.maximum) ?? below(asNumber(rule.exclusiveMaximum), isWhole);
  const wanted = Math.min(Math.max(1, lowest ?? 1), highest ?? Number.POSITIVE_INFINITY);
  const stepped = Math.ceil(wanted / step) * step;
  return stepped <= (highest ?? Number.POSITIVE_INFINITY) ? stepped : wanted;
}

function above(bound: number | undefined, isWhole: boolean): number | undefined {
  return bound === undefined ? undefined : isWhole ? Math.floor(bound) + 1 : bound + 0.5;
}

function below(bound: number | undefined, isWhole: boolean): number | undefined {
  return bound === undefined ? undefined : isWhole ? Math.ceil(bound) - 1 : bound - 0.5;
}

const FORMATS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['date', '2026-01-15'],
  ['time', '12:00:00Z'],
  ['date-time', '2026-01-15T12:00:00Z'],
  ['duration', 'PT5M'],
  ['email', 'ada@example.com'],
  ['uri', 'https://example.com/'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uuid', '6f1c2f0e-8a51-4d0f-9a54-2f6a1c7b3d10'],
]);

function fitString(rule: JsonRecord, hint: string): string {
  const known = FORMATS.get(rule.format);
  if (known !== undefined) return known;
  const text = hint.slice(0, asNumber(rule.maxLength) ?? 80);
  return text.padEnd(asNumber(rule.minLength) ?? 0, '.');
}
