// The fields of a request record in Redis, and the record that they make.

import { z } from 'zod';
import { ERROR_CODES } from '../../../errors/codes.ts';
import type { PublicError } from '../../../errors/public-answer.ts';
import type { RequestRecord } from '../../../upstream/request-records.ts';

const owner = z.object({
  id: z.string(),
  correlationId: z.string().optional(),
  organizationId: z.string(),
  keyId: z.string().optional(),
});

const attempt = z.object({
  id: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
  provider: z.string().optional(),
  model: z.string().optional(),
  code: z.enum(ERROR_CODES),
  reason: z.string(),
  raw: z
    .object({
      status: z.number().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
    })
    .optional(),
});

const answer = z.object({ reason: z.string(), error: z.custom<PublicError>(isObject) });
const partial = z.object({ text: z.string(), bytes: z.number() });

/** Undefined for a missing record, and for a record of another version. */
export function decodeRecord(fields: Readonly<Record<string, string>>): RequestRecord | undefined {
  if (fields['owner'] === undefined) return undefined;
  try {
    const attempts = attemptsOf(fields);
    const answered = fields['answer'] && answer.parse(JSON.parse(fields['answer']));
    const cut = fields['partial'] && partial.parse(JSON.parse(fields['partial']));
    const { keyId, ...named } = owner.parse(JSON.parse(fields['owner']));
    return {
      keyId,
      ...named,
      attempts,
      ...(answered && { error: answered.error }),
      ...(answered && attempts.length === 0 && { reason: answered.reason }),
      ...(cut && { partial: cut }),
    };
  } catch {
    return undefined;
  }
}

function attemptsOf(fields: Readonly<Record<string, string>>): RequestRecord['attempts'] {
  return Object.entries(fields)
    .flatMap(([name, text]) => {
      const [, number] = /^attempt:(\d+)$/.exec(name) ?? [];
      if (number === undefined) return [];
      const { provider, model, raw, ...rest } = attempt.parse(JSON.parse(text));
      return [{ ...rest, provider, model, raw, number: Number(number) }];
    })
    .toSorted((one, other) => one.number - other.number);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
