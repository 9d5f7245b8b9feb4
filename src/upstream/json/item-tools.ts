// Reads the tools that input items of the Responses API load, such as the result of a search for tools that the caller ran, those
// of a chat's messages, by which Moonshot's models get tools in the middle of a conversation, and the definitions in Anthropic's
// messages that add a tool. They may be tools of the provider, which are priced like those of the request. Pure.

import { NameTable } from './name-table.ts';
import { type JsonSpan, MAX_NAMES, peekFields } from './peek-fields.ts';
import { FREE, meaningOf } from './reference-names.ts';
import {
  elementsOf,
  type ReadTools,
  readTool,
  readTools,
  type ServerTool,
  type ToolsProblem,
} from './request-tools.ts';
import { endOfValue, OPEN_BRACE, QUOTE } from './scan.ts';
import { JsonKeys } from './walk-keys.ts';

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

/** At any depth, because a compacted conversation repeats the additions. */
export function readAddedTools(body: Buffer): ReadTools {
  const keys = new JsonKeys();
  const tools: ServerTool[] = [];
  keys.start(body, 0, body.length);
  while (keys.next()) {
    const meaning = meaningOf('anthropic', keys);
    if (meaning === FREE && keys.takeValue() === undefined) break;
    if (meaning !== 'tool' || !keys.isObject()) continue;
    const end = endOfValue(body, keys.valueStart);
    if (end < 0) break;
    const read = readTool('anthropic', body.subarray(keys.valueStart, end), 'tool.definition');
    if ('problem' in read) return read;
    tools.push(...read.tools);
    if (tools.length > MAX_NAMES) break;
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
