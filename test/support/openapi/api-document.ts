// Reads /openapi.json for tests: its operations, their parameters, and a validator of each response.

import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { arbitraryOf, type Schema } from './arbitrary-of.ts';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
};

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

type Responses = Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Responses;
};

export type ApiRequest = { readonly path: string; readonly body?: unknown };

export type ApiDocument = {
  readonly operations: readonly Operation[];
  /** Fails unless the status is documented and the body fits the schema of the status. */
  assertFits(operation: Operation, answer: { status: number; body: unknown; text: string }): void;
};

export function readApiDocument(document: unknown): ApiDocument {
  const { paths, components } = Object(document);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(Object(document), 'api');
  const compiled = new Map<string, ValidateFunction>();

  function validatorOf(response: Responses[string], name: string): ValidateFunction | undefined {
    const known = compiled.get(name);
    if (known) return known;
    const referred = response.$ref?.split('/').at(-1);
    const { content } = referred === undefined ? response : components.responses[referred];
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return undefined;
    const validate = ajv.compile(schema.$ref ? { $ref: `api${schema.$ref}` } : schema);
    compiled.set(name, validate);
    return validate;
  }

  return {
    operations: Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(Object(item)).map(([method, operation]) => ({
        ...Object(operation),
        path,
        method: method.toUpperCase(),
      })),
    ),
    assertFits({ method, path, responses }, { status, body, text }) {
      const name = `${method} ${path} ${status}`;
      const response = responses[status] ?? responses['default'];
      assert.ok(response, `${name} is not documented: ${text.slice(0, 300)}`);
      const validate = validatorOf(response, name);
      if (!validate || body === undefined) return;
      assert.ok(
        validate(body),
        `${name}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`,
      );
    },
  };
}

/** Requests that fit the document: path, query and body. */
export function requestsOf(operation: Operation): fc.Arbitrary<ApiRequest> {
  const { path, parameters = [], requestBody } = operation;
  const given = fc.record(
    Object.fromEntries(parameters.map(({ name, schema }) => [name, arbitraryOf(schema)])),
    { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
  );
  const schema = requestBody?.content['application/json']?.schema;
  const body = schema ? arbitraryOf(schema) : fc.constant(undefined);
  return fc.tuple(given, body).map(([values, content]) => ({
    path: addressOf(path, parameters, values),
    body: content,
  }));
}

function addressOf(
  path: string,
  parameters: readonly Parameter[],
  values: Readonly<Record<string, unknown>>,
): string {
  const query = new URLSearchParams();
  let address = path;
  for (const parameter of parameters) {
    const value = values[parameter.name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    // A function, because `$` is special in a replacement text; dots, because clients resolve dot segments.
    const escaped = encodeURIComponent(text).replaceAll('.', '%2E');
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, () => escaped);
    if (parameter.in === 'query') query.set(parameter.name, text);
  }
  return query.size === 0 ? address : `${address}?${query.toString()}`;
}
