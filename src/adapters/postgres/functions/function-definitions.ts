// Reads the SQL files of this folder: the functions of the store and the row types of their arguments. In a file, each
// definition starts with `create` at the beginning of a line and ends with a line `$$;` (function) or `);` (type).

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type FunctionDefinition = {
  readonly name: string;
  readonly kind: 'type' | 'function';
  /** The statement that creates it. */
  readonly text: string;
  /** Name, arguments and result of a function, all fields of a type: parts that `create or replace` cannot change. */
  readonly signature: string;
  /** Changes with every edit of the text. */
  readonly digest: string;
};

/** Types first, because functions name them. */
export function readFunctionDefinitions(
  folder: string = import.meta.dirname,
): readonly FunctionDefinition[] {
  const definitions = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .flatMap((file) => parseDefinitions(readFileSync(join(folder, file), 'utf8'), file));
  return [
    ...definitions.filter(({ kind }) => kind === 'type'),
    ...definitions.filter(({ kind }) => kind === 'function'),
  ];
}

const DEFINITION =
  /^create (?:type (?<type>\w+)[^]*?^\);$|or replace function (?<function>\w+)[^]*?^\$\$;$)/gm;

/** Throws for a file that contains anything else at the top level: it would silently not be applied. */
export function parseDefinitions(text: string, file: string): readonly FunctionDefinition[] {
  const rest = text
    .replaceAll(DEFINITION, '')
    .replaceAll(/^--.*$/gm, '')
    .trim();
  if (rest !== '') throw new Error(`${file} has a statement that is no definition: ${rest}`);
  return Array.from(text.matchAll(DEFINITION), ([statement, type, name = type]) => ({
    name: name ?? '',
    kind: type === undefined ? 'function' : 'type',
    text: statement.replace(/;$/, ''),
    signature: signatureOf(statement),
    digest: createHash('sha256').update(statement).digest('hex'),
  }));
}

function signatureOf(statement: string): string {
  const [signature = ''] = statement.split(/^language\b|\blanguage (?:sql|plpgsql)\b/m);
  return signature.replaceAll(/\s+/g, ' ').trim();
}
