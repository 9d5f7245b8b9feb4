// Finds input items of the Responses API that stand for stored ones without saying so. Pure.

import { NameTable } from './name-table.ts';
import { type JsonSpan, MAX_NAMES, peekFields } from './peek-fields.ts';
import { elementsOf } from './request-tools.ts';
import { OPEN_BRACE, QUOTE } from './scan.ts';

/**
 * The path of the first input item of the Responses API that consists of an `id`: its type may be left out, and it then
 * stands for the stored item of that id. Messages without a type have content.
 */
export function findBareItem(body: Buffer, input: JsonSpan): string | undefined {
  if (body[input.start] === QUOTE) return undefined;
  const items = elementsOf(body, input, { left: MAX_NAMES });
  if (!items) return 'input';
  const index = items.findIndex((item) => item[0] === OPEN_BRACE && isBare(item));
  return index < 0 ? undefined : `input[${index}].id`;
}

/** An item with a name twice may be read as one. */
function isBare(item: Buffer): boolean {
  const peeked = peekFields(item, ITEM_NAMES);
  if (!peeked.ok) return true;
  if (!peeked.fields.has('id') || peeked.fields.has('content')) return false;
  const type = peeked.fields.get('type');
  return type === undefined || item[type.start] === LOWER_N;
}

const ITEM_NAMES = new NameTable(['id', 'type', 'content']);
const LOWER_N = 0x6e;
