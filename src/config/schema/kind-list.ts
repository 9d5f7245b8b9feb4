// Kinds of several values. In a variable they are one text (`gemini:70,openai:30`, or JSON for nested values); in the
// file they are YAML lists and maps. Maps have no prototype, so that a lookup with a name from a request is safe.

import { z } from 'zod';
import { withoutPrototype } from '../lookup.ts';
import type { Kind } from './kind.ts';

export function list<T>(item: Kind<T>, bounds: { max?: number } = {}): Kind<readonly T[]> {
  const most = bounds.max === undefined ? '' : `at most ${bounds.max}, `;
  return {
    schema: z.union([z.string().transform(splitAtCommas), z.array(z.unknown())]).pipe(
      z
        .array(item.schema)
        .max(bounds.max ?? 1000)
        .refine(areDistinct),
    ),
    allowed: `a list separated by commas (${most}none twice), each ${item.allowed}`,
    ...(item.mask === undefined ? {} : { mask: item.mask }),
    write: (values) => values.map((value) => item.write(value)).join(','),
  };
}

/** The hosts of NO_PROXY. Duplicates and spaces are accepted, because other programs share the variable. */
export const noProxyHosts: Kind<readonly string[]> = {
  schema: z
    .union([z.string().transform((raw) => raw.split(/[\s,]+/)), z.array(z.string())])
    .transform((hosts) => [...new Set(hosts.filter((host) => host !== ''))]),
  allowed: 'hosts, domains or networks separated by commas, or *',
  write: (hosts) => hosts.join(','),
};

/** `name:number` pairs, such as the weights of providers. */
export function weights(): Kind<Readonly<Record<string, number>>> {
  const digits = z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number);
  const weight = z.union([z.number(), digits]).pipe(z.number().min(0).max(1_000_000));
  return {
    schema: z
      .union([z.string().transform(splitPairs), record()])
      .pipe(z.record(z.string(), weight))
      .transform(withoutPrototype)
      .refine((given) => Object.values(given).some((value) => value > 0)),
    allowed: 'name:weight pairs separated by commas, such as gemini:70,openai:30, one above 0',
    write: (given) =>
      Object.entries(given)
        .map((pair) => pair.join(':'))
        .join(','),
  };
}

/** A map of names to records of one type; JSON in a variable. */
export function mapOf<T>(item: z.ZodType<T>, allowed: string): Kind<Readonly<Record<string, T>>> {
  return {
    schema: z
      .union([z.string().transform(parseJson), record()])
      .pipe(z.record(z.string(), item))
      .transform(withoutPrototype),
    allowed,
    write: (given) => JSON.stringify(given),
  };
}

/** One record of named values; JSON in a variable. */
export function recordOf<T>(schema: z.ZodType<T>, allowed: string): Kind<T> {
  return {
    schema: z.union([z.string().transform(parseJson), record()]).pipe(schema),
    allowed,
    write: (given) => JSON.stringify(given),
  };
}

function record(): z.ZodType<Record<string, unknown>> {
  return z.record(z.string(), z.unknown());
}

function splitAtCommas(raw: string): string[] {
  return raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function areDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function splitPairs(raw: string, context: z.RefinementCtx): Record<string, string> {
  const pairs = splitAtCommas(raw).map((pair) => pair.split(':').map((part) => part.trim()));
  const names = new Set(pairs.map(([name]) => name));
  if (names.size === pairs.length && pairs.every((pair) => pair.length === 2 && pair[0] !== ''))
    return Object.fromEntries(pairs);
  context.addIssue({ code: 'custom' });
  return z.NEVER;
}

function parseJson(raw: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }
}
