// The fields of a stored message body, to be written again. A body that is not a JSON object, or is nested too deeply,
// has none. Numbers keep their text: ids of other systems can exceed the integers that a JavaScript number represents
// exactly.

import { isNestedTooDeeply } from '../../kernel/json-depth.ts';

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOfBody(body: string): Fields {
  return parseFields(body) ?? {};
}

/** Undefined for a body without fields: often the reason why a message is a dead letter. */
export function parseFields(body: string | undefined): Fields | undefined {
  if (body === undefined || isNestedTooDeeply(body)) return undefined;
  try {
    // A reviver makes parsing several times slower.
    const parsed: unknown = INEXACT.test(body) ? JSON.parse(body, keepText) : JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return { ...parsed };
  } catch {
    return undefined;
  }
}

/** Finds numbers that JSON.stringify may write differently from how they were sent. */
const INEXACT = /\d{16}|\d[.eE]|-0/;

function keepText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const text = context?.source;
  if (typeof value !== 'number' || text === undefined || text === String(value)) return value;
  return rawJson(text) ?? value;
}

/** `JSON.rawJSON`, which the type checker does not know yet. */
function rawJson(text: string): unknown {
  const write: unknown = Reflect.get(JSON, 'rawJSON');
  return typeof write === 'function' ? write(text) : undefined;
}
