// A kind of value: how to parse it (from a variable's text or from YAML), the allowed values as words that fit after "it
// must be", and how to write it in .env.example and the documents. Names and defaults belong to the settings.

import { z } from 'zod';
import type { Mask } from '../mask.ts';
import { maskSecret } from '../mask.ts';

export type Kind<T> = {
  readonly schema: z.ZodType<T>;
  readonly allowed: string;
  /** Masks a value that is secret as a whole or in part. */
  readonly mask?: Mask;
  write(value: T): string;
  /** A more readable form than `write` ("32MiB"). */
  display?(value: T): string;
};

export function text(
  pattern: RegExp = /^[^\r\n]+$/u,
  allowed = 'a text on one line',
): Kind<string> {
  return { schema: z.string().trim().regex(pattern), allowed, write: String };
}

export const name = text(
  /^[A-Za-z0-9_.-]{1,64}$/,
  '1 to 64 letters, digits, dots, dashes or underscores',
);

const HOST = /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;

/** An IPv6 address may be in brackets, as in URLs; the value has none. */
export const host: Kind<string> = {
  schema: z
    .string()
    .trim()
    .transform((value) => value.replace(/^\[([^[\]]*:[^[\]]*)\]$/, '$1'))
    .pipe(z.string().regex(HOST)),
  allowed: 'an IP address or a host name, without a port',
  write: String,
};

/** A web origin as browsers send it: no path and no trailing slash, which would never match. */
export const origin = text(
  /^(?:\*|[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)$/,
  'an origin in lower case such as https://app.example, or *',
);

export function secret(shortest = 1, unit: 'characters' | 'bytes' = 'characters'): Kind<string> {
  const lengthOf = (value: string): number =>
    unit === 'bytes' ? Buffer.byteLength(value) : value.length;
  const allowed = shortest === 1 ? 'a text on one line' : `a text of ${shortest} ${unit} or more`;
  const schema = text().schema.refine((value) => lengthOf(value) >= shortest);
  return { schema, allowed, write: String, mask: maskSecret };
}

/** A secret that is sent in a header, where only printable ASCII is safe. */
export function headerSecret(shortest = 1): Kind<string> {
  const count = shortest === 1 ? '' : `${shortest} or more `;
  const allowed = `a key of ${count}printable ASCII characters without spaces`;
  return { ...text(new RegExp(`^[\\x21-\\x7e]{${shortest},}$`), allowed), mask: maskSecret };
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Kind<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  const digits = z
    .string()
    .trim()
    .regex(/^-?\d+$/)
    .transform(Number);
  return {
    schema: z.union([z.number(), digits]).pipe(z.int().min(min).max(max)),
    allowed: `a whole number ${range}`,
    write: String,
  };
}

/** A number with decimals, such as a ratio. */
export function decimal(min: number, max: number): Kind<number> {
  const digits = z
    .string()
    .trim()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number);
  return {
    schema: z.union([z.number(), digits]).pipe(z.number().min(min).max(max)),
    allowed: `a number from ${min} to ${max}`,
    write: String,
  };
}

const TRUE_WORDS = ['true', '1', 'yes', 'on'];
const FALSE_WORDS = ['false', '0', 'no', 'off'];

export const boolean: Kind<boolean> = {
  schema: z.union([
    z.boolean(),
    z
      .union([z.string().trim(), z.number().transform(String)])
      .pipe(z.stringbool({ truthy: TRUE_WORDS, falsy: FALSE_WORDS })),
  ]),
  allowed: anyOf([...TRUE_WORDS, ...FALSE_WORDS]),
  write: String,
};

/** A word of a fixed set, in any case. */
export function choice<const T extends readonly string[]>(words: T): Kind<T[number]> {
  const find = (raw: string): string =>
    words.find((word) => word.toLowerCase() === raw.toLowerCase()) ?? raw;
  return {
    schema: z.string().trim().transform(find).pipe(z.enum(words)),
    allowed: anyOf(words),
    write: String,
  };
}

/** `debug, info or warn`: the words that fit after "it must be". */
export function anyOf(values: readonly (string | number)[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values.map(String));
}
