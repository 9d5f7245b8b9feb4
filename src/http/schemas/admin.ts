// The common parts of the admin endpoints: the admin key is checked before the body is read, and a request that does
// not match its schema is refused with the name of the field. Unknown fields are also refused, so that a misspelt field
// is not ignored silently.

import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import type { Operator } from '../../admission/administer-audit.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Gate } from '../authenticate.ts';

/** Options that every admin route spreads into its own. */
export type AdminGuard = {
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
};

export function adminGuard(gate: Pick<Gate, 'requireAdmin'>): AdminGuard {
  return {
    onRequest: async (request) => gate.requireAdmin(request),
    validatorCompiler: namingValidator,
  };
}

/** Names the invalid or unknown field. Also for routes of callers. */
export const namingValidator: FastifySchemaCompiler<unknown> =
  ({ schema }) =>
  (data) => {
    if (!(schema instanceof z.ZodType)) throw new TypeError('a route has a schema that is not zod');
    const result = schema.safeParse(data);
    return result.success ? { value: result.data } : { error: refusal(result.error) };
  };

export function operatorOf(request: FastifyRequest): Operator {
  return { actor: 'admin', requestId: request.id };
}

/** For /openapi.json: tag and credential. */
export function adminSchema<T extends object>(summary: string, rest: T) {
  return { summary, tags: ['Admin'], security: [{ admin: [] }], ...rest };
}

export const noContent = z.null().describe('Done');

/** Spelt out, because not every generator knows Unicode properties. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';

/** A display name: one line with a visible character, no control characters. */
export const shownName = z
  .string()
  .max(200)
  .regex(new RegExp(`^[^${CONTROLS}]*[^\\s\\ufeff${CONTROLS}][^${CONTROLS}]*$`))
  .refine((text) => text.isWellFormed())
  .trim();

export const organizationId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);

/** Names of providers, regions and models in paths. */
export const plainName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,127}$/);

/** Text without control characters, e.g. an id in a path. PostgreSQL's text cannot contain NUL or lone surrogates. */
export function printable(maxLength: number) {
  return z
    .string()
    .regex(new RegExp(`^[^\\u0000-\\u001f\\u007f]{1,${maxLength}}$`))
    .refine((text) => text.isWellFormed());
}

/** `q`: a text that a list is filtered by. A filtered page may have fewer rows than `limit` and still a next page. */
export const searchText = printable(200).optional();

/** An id that Spillway has issued; also the cursor of a list. */
export const rowId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/);

/** A whole number in a query. Number() would take an empty text for 0. */
export function queryInteger(maximum: number) {
  return z
    .string()
    .regex(/^[0-9]{1,16}$/)
    .transform(Number)
    .refine((value) => value <= maximum)
    .meta({ type: 'integer', pattern: undefined, minimum: 0, maximum });
}

/** Exact as a JSON number up to this amount. */
export const usdAmount = z.number().min(0).max(4_000_000);

/** Epoch milliseconds within the range of Date. */
export const LATEST_MOMENT = 8_640_000_000_000_000;
export const moment = z.int().min(0).max(LATEST_MOMENT);

function refusal(error: z.ZodError): SpillwayError {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const message = `the request does not fit its schema: ${issue?.message ?? 'unknown reason'}`;
  return new SpillwayError('INVALID_REQUEST', message, {
    params: path.length === 0 ? {} : { field: path.join('.') },
    cause: error,
  });
}
