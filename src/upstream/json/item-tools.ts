// Reads the tools that input items of the Responses API load, such as the result of a search for tools that the caller ran, and
// those of a chat's messages, by which Moonshot's models get tools in the middle of a conversation. They may be tools of the
// provider, which are priced like those of the request. Pure.

import { NameTable } from './name-table.ts';
import { type JsonSpan, MAX_NAMES, peekFields } from './peek-fields.ts';
import {
  elementsOf,
  type ReadTools,
  readTools,
  type ServerTool,
  type ToolsProblem,
} from './request-tools.ts';
import { OPEN_BRACE, QUOTE } from './scan.ts';

/** `list` is the name of the field. */
export function readItemTools(body: Buffer, input: JsonSpan, list: string): ReadTools {
  if (body[input.start] === QUOTE) return { tools: [] };
  const items = elementsOf(body, input, { left: MAX_NAMES });
  if (!items) return { field: list, problem: 'wrong_type' };
  const tools: ServerTool[] = [];
  for (const [index, item] of items.entries()) {
    const read = readItem(item, `${list}[${index}].tools`);
    if ('problem' in read) return read;
    tools.push(...read.tools);
  }
  return { tools };
}

function readItem(item: Buffer, field: string): ReadTools | ToolsProblem {
  if (item[0] !== OPEN_BRACE) return NONE;
  const peeked = peekFields(item, TOOLS, true);
  if (!peeked.ok) return { field, problem: 'duplicate_field' };
  const span = peeked.fields.get('tools');
  if (!span || item[span.start] === LOWER_N) return NONE;
  return readTools('openai', item, span, field);
}

const NONE: ReadTools = { tools: [] };
const TOOLS = new NameTable(['tools']);
const LOWER_N = 0x6e;
