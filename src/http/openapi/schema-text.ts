// Writes a JSON schema as a few lines that resemble a TypeScript type, for the page of the API document.

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
};

const MAX_ENUM = 12;
const MAX_DEPTH = 6;

export function schemaText(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return enumText(schema.enum);
  if (schema.properties) return objectText(schema, indent);
  if (schema.anyOf) return schema.anyOf.map((option) => schemaText(option, indent)).join(' | ');
  if (schema.type === 'array') return `[ ${schemaText(schema.items ?? {}, indent)} ]`;
  if (typeof schema.additionalProperties === 'object')
    return `{ [name]: ${schemaText(schema.additionalProperties, indent)} }`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

function enumText(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_ENUM).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > MAX_ENUM ? ['…'] : [])].join(' | ');
}

function objectText({ properties = {}, required = [] }: Schema, indent: string): string {
  if (indent.length > MAX_DEPTH * 2) return '{ … }';
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    const comment = property.description === undefined ? '' : `  // ${property.description}`;
    return `${inner}${name}${mark}: ${schemaText(property, inner)}${comment}`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}
