// Generates values that fit a JSON schema of /openapi.json: the part of JSON Schema that the document uses.

import * as fc from 'fast-check';

export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
};

export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf)
    return fc.oneof(...schema.anyOf.map((option) => arbitraryOf(merge(schema, option))));
  const types = [schema.type ?? []].flat();
  return types.length === 0
    ? fc.jsonValue({ maxDepth: 1 })
    : fc.oneof(...types.map((type) => arbitraryOfType(type, schema)));
}

/** An option of `anyOf` narrows the schema that it stands in. */
function merge({ anyOf: _options, ...schema }: Schema, option: Schema): Schema {
  const properties = Object.fromEntries(
    Object.entries({ ...schema.properties, ...option.properties }).map(([name, property]) => [
      name,
      narrowed(schema.properties?.[name], property),
    ]),
  );
  return {
    ...schema,
    ...option,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    required: [...(schema.required ?? []), ...(option.required ?? [])],
  };
}

/** `{ type: 'string' }` chooses the string of a nullable property. */
function narrowed(given: Schema | undefined, property: Schema): Schema {
  if (given === undefined || given === property) return property;
  return given.anyOf?.find(({ type }) => type === property.type) ?? property;
}

function arbitraryOfType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e9),
        max: Math.min(schema.maximum ?? 1000, 2e9),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000, noNaN: true });
    case 'string':
      return textOf(schema);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(2, schema.minItems ?? 0),
      });
    default:
      return objectOf(schema);
  }
}

function textOf({ pattern, format, minLength = 0, maxLength = 20 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true, min: new Date(0) }).map(toIso);
  if (pattern === undefined)
    return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20) });
  return fc
    .stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 60) })
    .filter((text) => text.isWellFormed());
}

function toIso(date: Date): string {
  return new Date(date.getTime() % 4e12).toISOString();
}

function objectOf(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema;
  if (propertyNames?.pattern !== undefined && typeof additionalProperties === 'object')
    return fc.dictionary(textOf(propertyNames), arbitraryOf(additionalProperties), { maxKeys: 2 });
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, each] of Object.entries(properties)) fields[name] = arbitraryOf(each);
  return fc.record(fields, { requiredKeys: [...new Set(required)] });
}
