// Reads the tools of a request that a provider runs itself. They cost per use, or make the model read text that is not in
// the request; tools that the caller runs cost only their own bytes. A tool's kind is its type without version: the kind
// of `web_search_20250305` is `web_search`, of Gemini's `googleSearch` it is `google_search`. Pure.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { NameTable } from './name-table.ts';
import { type JsonSpan, peekFields, readCount, readString } from './peek-fields.ts';
import { COMMA, endOfValue, OPEN_BRACE, OPEN_BRACKET, skipSpace } from './scan.ts';
import { JsonKeys } from './walk-keys.ts';

export type ServerTool = {
  /** The path of the field that names it, such as `tools[0].type`. */
  readonly field: string;
  readonly kind: string;
  /** Undefined when the request states no maximum. */
  readonly maxUses: number | undefined;
  /** The provider charges its tokens and nothing per use. */
  readonly isFree: boolean;
  /** The answer states how often it was used. */
  readonly isReported: boolean;
  /** A model that the tool runs, by the name in the request. */
  readonly model: string | undefined;
};

export type ToolsProblem = {
  readonly field: string;
  readonly problem: 'wrong_type' | 'duplicate_field' | 'not_supported';
};

export type ReadTools = { readonly tools: readonly ServerTool[] } | ToolsProblem;

/** Tools that the caller runs. */
const CLIENT_KINDS: Readonly<Record<ProviderFormat, ReadonlySet<string>>> = {
  anthropic: new Set([
    'custom',
    'bash',
    'text_editor',
    'computer',
    'computer_toolset',
    'browser_toolset',
    'memory',
  ]),
  openai: new Set(['function', 'custom', 'local_shell', 'apply_patch', 'computer', 'computer_use']),
  gemini: new Set(['function_declarations', 'computer_use']),
};

/** Tools that a provider runs without a charge per use. */
const FREE_KINDS: Readonly<Record<ProviderFormat, ReadonlySet<string>>> = {
  anthropic: new Set([
    'web_fetch',
    'tool_search_tool_regex',
    'tool_search_tool_bm25',
    'mcp',
    'mcp_toolset',
  ]),
  openai: new Set(['mcp', 'tool_search']),
  gemini: new Set(['code_execution', 'url_context']),
};

/** Tools whose uses an answer states. */
const REPORTED_KINDS: Readonly<Record<ProviderFormat, ReadonlySet<string>>> = {
  anthropic: new Set(['web_search', 'web_fetch']),
  openai: new Set([
    'web_search',
    'web_search_preview',
    'file_search',
    'code_interpreter',
    'image_generation',
  ]),
  gemini: new Set(),
};

/** Fields of OpenAI's tools that describe the machine on which they run. */
const MACHINES = ['container', 'environment'];
const MEMORY = new NameTable(['memory_limit']);
/** The size to which a price without a size applies. */
const SMALLEST = '1g';

/** Providers accept some hundreds; reading each one takes microseconds. */
const MAX_TOOLS = 10_000;
type ToolCount = { left: number };

const TOOL_FIELDS = new NameTable(['type', 'model', 'max_uses', 'tools', 'execution', ...MACHINES]);

export function readTools(
  format: ProviderFormat,
  body: Buffer,
  span: JsonSpan,
  path = 'tools',
  count = { left: MAX_TOOLS },
): ReadTools {
  const elements = elementsOf(body, span, count);
  if (!elements) return { field: path, problem: 'wrong_type' };
  const tools: ServerTool[] = [];
  for (const [index, element] of elements.entries()) {
    const read = readTool(format, element, `${path}[${index}]`, count);
    if ('problem' in read) return read;
    tools.push(...read.tools);
  }
  return { tools };
}

/** One element of a list of tools; the tools that the caller runs are left out. */
export function readTool(
  format: ProviderFormat,
  element: Buffer,
  field: string,
  count = { left: MAX_TOOLS },
): ReadTools {
  if (element[0] !== OPEN_BRACE) return { field, problem: 'wrong_type' };
  const read =
    format === 'gemini' ? readGemini(element, field) : readTyped(format, element, field, count);
  if ('problem' in read) return read;
  const isServerTool = ({ model, kind }: ServerTool) =>
    model !== undefined || !CLIENT_KINDS[format].has(kind);
  return { tools: read.tools.filter(isServerTool) };
}

/** A maximum below 1 states none. */
export function readUses(body: Buffer, span: JsonSpan | undefined): number | undefined {
  const uses = readCount(body, span);
  return uses !== undefined && uses > 0 ? uses : undefined;
}

/** Without version, and without `preview` unless that version has a price of its own. */
export function toolKind(type: string): string {
  if (PREVIEW_SEARCH.test(type)) return 'web_search_preview';
  return type
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/_(?:\d{8}|\d{4}_\d\d_\d\d|preview|latest)(?=_|$)/g, '');
}

const PREVIEW_SEARCH = /^web_search_preview(?:_\d{4}_\d\d_\d\d)?$/;

/** A list, or one object, which lenient parsers read as a list of one. */
export function elementsOf(
  body: Buffer,
  span: JsonSpan,
  count: ToolCount = { left: MAX_TOOLS },
): readonly Buffer[] | undefined {
  if (body[span.start] === OPEN_BRACE) return [body.subarray(span.start, span.end)];
  if (body[span.start] !== OPEN_BRACKET) return undefined;
  const elements: Buffer[] = [];
  let at = skipSpace(body, span.start + 1);
  while (at < span.end - 1) {
    const end = endOfValue(body, at);
    count.left -= 1;
    if (end < 0 || count.left < 0) return undefined;
    elements.push(body.subarray(at, end));
    const behind = skipSpace(body, end);
    at = body[behind] === COMMA ? skipSpace(body, behind + 1) : behind;
  }
  return elements;
}

function readTyped(
  format: ProviderFormat,
  element: Buffer,
  field: string,
  count: ToolCount,
): ReadTools {
  const peeked = peekFields(element, TOOL_FIELDS, true);
  if (!peeked.ok) {
    const problem = peeked.problem === 'duplicate_field' ? 'duplicate_field' : 'not_supported';
    return { field: peeked.field === undefined ? field : `${field}.${peeked.field}`, problem };
  }
  const { fields } = peeked;
  const type = textOf(element, fields.get('type'));
  if (type === NOT_TEXT) return { field: `${field}.type`, problem: 'wrong_type' };
  const model = textOf(element, fields.get('model'));
  if (model === NOT_TEXT) return { field: `${field}.model`, problem: 'wrong_type' };
  const kind = toolKind(type ?? 'custom');
  const maxUses = usesIn(format, kind, element, fields);
  const grouped = fields.get('tools');
  // Codex groups its tools: each counts as if it stood alone.
  if (kind === 'namespace' && grouped)
    return readTools(format, element, grouped, `${field}.tools`, count);
  if (kind === 'shell' && model === undefined && isLocal(element, fields.get('environment')))
    return { tools: [] };
  // Codex searches among its tools itself.
  if (kind === 'tool_search' && textOf(element, fields.get('execution')) === 'client')
    return { tools: [] };
  const isFree = FREE_KINDS[format].has(kind);
  const isReported = REPORTED_KINDS[format].has(kind);
  const tool = { field: `${field}.type`, kind, maxUses, isFree, isReported, model };
  const sized = format === 'openai' ? sizedTool(element, fields, tool, field) : undefined;
  if (sized && 'problem' in sized) return sized;
  return { tools: sized ? [tool, sized] : [tool] };
}

/** Anthropic's tools alone have a maximum of their own; elsewhere the field would be ignored. */
function usesIn(
  format: ProviderFormat,
  kind: string,
  element: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): number | undefined {
  if (kind.startsWith(OPENROUTER)) return OPENROUTER_ROUNDS;
  return format === 'anthropic' ? readUses(element, fields.get('max_uses')) : undefined;
}

/** OpenRouter stops a model after this many rounds with its own tools, such as `openrouter:web_search`. */
const OPENROUTER_ROUNDS = 30;
const OPENROUTER = 'openrouter:';

/** A shell whose commands the caller runs. */
function isLocal(element: Buffer, span: JsonSpan | undefined): boolean {
  if (!span || element[span.start] !== OPEN_BRACE) return false;
  const environment = element.subarray(span.start, span.end);
  const peeked = peekFields(environment, TYPE, true);
  return peeked.ok && readString(environment, peeked.fields.get('type')) === 'local';
}

const TYPE = new NameTable(['type']);

/** A larger machine costs up to 64 times as much, so that it needs a price of its own: `code_interpreter_64g`. */
function sizedTool(
  element: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  tool: ServerTool,
  field: string,
): ServerTool | ToolsProblem | undefined {
  for (const name of MACHINES) {
    const span = fields.get(name);
    if (!span || element[span.start] !== OPEN_BRACE) continue;
    const machine = element.subarray(span.start, span.end);
    const path = `${field}.${name}.memory_limit`;
    const peeked = peekFields(machine, MEMORY, true);
    if (!peeked.ok) return { field: path, problem: 'not_supported' };
    const size = textOf(machine, peeked.fields.get('memory_limit'));
    if (size === NOT_TEXT) return { field: path, problem: 'wrong_type' };
    if (size !== undefined && size !== SMALLEST)
      return { ...tool, field: path, kind: `${tool.kind}_${size}`, isReported: false };
  }
  return undefined;
}

/** Gemini's tools have no type: the name of the field is the kind, and one object may hold several. */
function readGemini(element: Buffer, field: string): ReadTools {
  const keys = new JsonKeys();
  const tools: ServerTool[] = [];
  keys.start(element, 0, element.length);
  while (keys.next()) {
    // Null stands for a tool that is not requested.
    if (keys.depth !== 1 || !keys.isSomething()) continue;
    const name = keys.keyText();
    if (name === undefined) return { field, problem: 'wrong_type' };
    const kind = toolKind(name);
    const isFree = FREE_KINDS.gemini.has(kind);
    tools.push({
      field: `${field}.${name}`,
      kind,
      maxUses: undefined,
      isFree,
      isReported: false,
      model: undefined,
    });
  }
  return { tools };
}

const NOT_TEXT = Symbol('a value that is not a text');

function textOf(element: Buffer, span: JsonSpan | undefined): string | undefined | typeof NOT_TEXT {
  if (!span || element.toString('latin1', span.start, span.end) === 'null') return undefined;
  return readString(element, span) ?? NOT_TEXT;
}
