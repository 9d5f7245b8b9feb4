// The failures of each operation in /openapi.json. Routes describe only their successes; the failures follow from the table
// of error codes, from the credential and from the method, so that no route can forget one.

import { z } from 'zod';
import { ERROR_CODES, ERROR_TABLE } from '../../errors/codes.ts';
import type { WireFormat } from '../../errors/wire-shape.ts';
import { ERROR_ANSWERS } from '../schemas/error.ts';

type Json = Record<string, unknown>;

export type OperationTraits = { readonly isWrite: boolean; readonly takesKey: boolean };

/** For the endpoints of Spillway itself. */
export function ownErrors({ isWrite, takesKey }: OperationTraits): Json {
  const statuses = [
    ...READ_STATUSES,
    ...(takesKey ? KEY_STATUSES : []),
    ...(isWrite ? WRITE_STATUSES : []),
  ];
  return Object.fromEntries(statuses.map((status) => [status, reference(status, 'spillway')]));
}

/** For the AI endpoints: every code can occur, and some vendors' clients expect other statuses. */
export function aiErrors(format: WireFormat): Json {
  return {
    ...Object.fromEntries(STATUSES.map((status) => [status, reference(status, format)])),
    default: { description: 'Any other failure', content: content(format) },
  };
}

/** The shared parts: one schema per format, one response per format and status. */
export function errorComponents(): { readonly schemas: Json; readonly responses: Json } {
  return {
    schemas: Object.fromEntries(FORMATS.map(([format, name]) => [name, schemaOf(format)])),
    responses: Object.fromEntries(
      FORMATS.flatMap(([format, name]) =>
        STATUSES.map((status) => [`${name}${status}`, failure(status, format)]),
      ),
    ),
  };
}

function schemaOf(format: WireFormat): Json {
  const { $schema: _draft, ...schema } = z.toJSONSchema(ERROR_ANSWERS[format]);
  return schema;
}

/** A coding that is not supported is INVALID_REQUEST with a status of its own. */
const UNSUPPORTED_ENCODING = 415;
const STATUSES = [
  ...new Set(ERROR_CODES.map((code): number => ERROR_TABLE[code].status)),
  UNSUPPORTED_ENCODING,
];
const READ_STATUSES = [400, 401, 404, 429, 500, 503] as const;
/** A scope is missing, or a budget is used up. */
const KEY_STATUSES = [402, 403] as const;
/** Idempotency keys and bodies. */
const WRITE_STATUSES = [409, 413, 415, 422] as const;

const FORMATS = [
  ['spillway', 'Error'],
  ['anthropic', 'AnthropicError'],
  ['openai', 'OpenAiError'],
  ['gemini', 'GeminiError'],
] as const satisfies readonly (readonly [WireFormat, string])[];

function failure(status: number, format: WireFormat): Json {
  if (status === UNSUPPORTED_ENCODING)
    return { description: 'INVALID_REQUEST: content encoding', content: content(format) };
  const codes = ERROR_CODES.filter((code) => ERROR_TABLE[code].status === status);
  const description = codes.map((code) => `${code}: ${ERROR_TABLE[code].when}`).join('; ');
  return { description, content: content(format) };
}

function content(format: WireFormat): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(format)}` } } };
}

function reference(status: number, format: WireFormat): Json {
  return { $ref: `#/components/responses/${nameOf(format)}${status}` };
}

function nameOf(format: WireFormat): string {
  return FORMATS.find(([each]) => each === format)?.[1] ?? 'Error';
}
