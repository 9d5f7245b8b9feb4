// Reads the features of a request that cost more than its tokens at the standard price: processing tiers, tools that the
// provider runs, and output other than text. Each is priced or refused by name before the call. A plain request has none,
// and reading it costs a few map lookups. Pure.

import { readAddedTools, readItemTools } from './item-tools.ts';
import { NameTable } from './name-table.ts';
import { given, listed, type RequestKind } from './output-limits.ts';
import { type JsonSpan, peekFields, readBoolean, readString } from './peek-fields.ts';
import {
  type ReadTools,
  readTools,
  readUses,
  type ServerTool,
  type ToolsProblem,
} from './request-tools.ts';
import { OPEN_BRACE } from './scan.ts';
import { JsonKeys } from './walk-keys.ts';

/** A processing tier: `service_tier: priority`, `speed: fast`, `inference_geo: us`. */
export type RequestedTier = { readonly field: string; readonly tier: string };

export type RequestFeatures = {
  readonly tiers: readonly RequestedTier[];
  readonly tools: readonly ServerTool[];
  /** The stated maximum of the uses of all tools together. */
  readonly maxUses?: number | undefined;
  /** Kinds of output other than text, in lower case, such as `image`, and `audio_input`. */
  readonly outputs: readonly { readonly field: string; readonly modality: string }[];
};

const TIER_FIELDS = ['service_tier', 'serviceTier', 'speed', 'inference_geo'];
const CONFIG_FIELDS = ['responseModalities', 'response_modalities'];
/** Fields by which Vertex serves a request with another model, of another price. */
const ROUTING_FIELDS = [
  'routingConfig',
  'routing_config',
  'modelConfig',
  'model_config',
  'modelSelectionConfig',
  'model_selection_config',
];
/** The kinds of output as the names of objects: `[{ image: {} }]`. */
const FORMAT_FIELDS = ['responseFormat', 'response_format'];
const CONFIG_NAMES = new NameTable([...CONFIG_FIELDS, ...FORMAT_FIELDS, ...ROUTING_FIELDS]);

/** The tiers that cost the standard price. */
const STANDARD_TIERS: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'unspecified',
  'service_tier_unspecified',
  'service_tier_standard',
  'global',
  'not_available',
]);

/**
 * Fields of compatible providers: OpenRouter's plugins, such as its web search, xAI's live search, Alibaba's search and
 * the search indexes of Azure.
 */
const COMPATIBLE_TOOLS = ['plugins', 'search_parameters', 'enable_search', 'data_sources'];

const FIELDS: Readonly<Partial<Record<RequestKind['operation'], readonly string[]>>> = {
  messages: ['service_tier', 'speed', 'inference_geo', 'mcp_servers'],
  chat: ['service_tier', 'modalities', 'web_search_options', ...COMPATIBLE_TOOLS],
  responses: ['service_tier', 'max_tool_calls', ...COMPATIBLE_TOOLS],
  compact: ['service_tier'],
  generate: ['service_tier', 'serviceTier'],
};

/** The top-level fields to peek at, besides those of the limits. */
export function featureFields(operation: RequestKind['operation']): readonly string[] {
  return FIELDS[operation] ?? [];
}

export function isStandardTier(tier: string): boolean {
  return STANDARD_TIERS.has(tier);
}

/** Undefined for a request without any. */
export function readFeatures(
  kind: RequestKind,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  hasItemTools = false,
): RequestFeatures | ToolsProblem | undefined {
  const tiers = readTiers(body, fields);
  if ('problem' in tiers) return tiers;
  const tools = readServerTools(kind, body, fields, hasItemTools);
  if ('problem' in tools) return tools;
  const outputs = readOutputs(body, fields);
  if ('problem' in outputs) return outputs;
  if (tiers.length === 0 && tools.length === 0 && outputs.length === 0) return undefined;
  return { tiers, tools, outputs, maxUses: readUses(body, fields.get('max_tool_calls')) };
}

const NONE: readonly never[] = Object.freeze([]);

function readTiers(
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): readonly RequestedTier[] | ToolsProblem {
  let tiers: readonly RequestedTier[] = NONE;
  for (const field of TIER_FIELDS) {
    const span = given(body, fields.get(field));
    if (!span) continue;
    const tier = tierNamed(field, readString(body, span)?.toLowerCase());
    if (tier === undefined) return { field, problem: 'wrong_type' };
    // Two spellings of one field.
    if (field === 'serviceTier' && given(body, fields.get('service_tier')))
      return { field, problem: 'duplicate_field' };
    if (!STANDARD_TIERS.has(tier)) tiers = [...tiers, { field, tier }];
  }
  return tiers;
}

/** OpenAI's fast mode is its priority tier under another name; the answer states the first one. */
function tierNamed(field: string, tier: string | undefined): string | undefined {
  return field === 'service_tier' && tier === 'fast' ? 'priority' : tier;
}

function readServerTools(
  { format, operation }: RequestKind,
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
  hasItemTools: boolean,
): readonly ServerTool[] | ToolsProblem {
  const span = given(body, fields.get('tools'));
  const read = span ? readTools(format, body, span) : { tools: NONE };
  if ('problem' in read) return read;
  const loaded = hasItemTools ? readLoadedTools(operation, body, fields) : { tools: NONE };
  if ('problem' in loaded) return loaded;
  const stated = loaded.tools.length === 0 ? read.tools : [...read.tools, ...loaded.tools];
  const isSilent = operation === 'chat' && stated.length > 0;
  const all = isSilent ? stated.map(withoutReport) : stated;
  const calls = readUses(body, fields.get('max_tool_calls'));
  const bounded = calls === undefined ? all : all.map((tool) => ({ ...tool, maxUses: calls }));
  const implied = impliedTools(body, fields);
  return implied.length === 0 ? bounded : [...bounded, ...implied];
}

function readLoadedTools(
  operation: RequestKind['operation'],
  body: Buffer,
  fields: ReadonlyMap<string, JsonSpan>,
): ReadTools {
  if (operation === 'messages') return readAddedTools(body);
  const list = operation === 'chat' ? 'messages' : 'input';
  const input = fields.get(list);
  return input ? readItemTools(body, input, list) : { tools: NONE };
}

/** A chat of a compatible provider may use the tools of the Responses API, and its answer has no place for their calls. */
function withoutReport(tool: ServerTool): ServerTool {
  return { ...tool, isReported: false };
}

/** Fields that let the provider run a tool without listing it. */
function impliedTools(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): readonly ServerTool[] {
  let tools: readonly ServerTool[] = NONE;
  if (given(body, fields.get('web_search_options')))
    tools = [toolOf('web_search_options', 'web_search', 1)];
  if (listed(body, fields.get('mcp_servers')))
    tools = [...tools, toolOf('mcp_servers', 'mcp', undefined)];
  for (const field of COMPATIBLE_TOOLS) {
    const span = listed(body, fields.get(field));
    if (span && readBoolean(body, span) !== false)
      tools = [...tools, toolOf(field, field, undefined)];
  }
  return tools;
}

function toolOf(field: string, kind: string, maxUses: number | undefined): ServerTool {
  return { field, kind, maxUses, isFree: kind === 'mcp', isReported: false, model: undefined };
}

type Outputs = RequestFeatures['outputs'];

function readOutputs(body: Buffer, fields: ReadonlyMap<string, JsonSpan>): Outputs | ToolsProblem {
  const chat = modalities(body, fields.get('modalities'), 'modalities');
  if ('problem' in chat || chat.length > 0) return chat;
  for (const name of ['generationConfig', 'generation_config']) {
    const span = given(body, fields.get(name));
    if (!span || body[span.start] !== OPEN_BRACE) continue;
    const config = body.subarray(span.start, span.end);
    const peeked = peekFields(config, CONFIG_NAMES, true);
    if (!peeked.ok) return { field: name, problem: 'not_supported' };
    const routing = ROUTING_FIELDS.find((field) => given(config, peeked.fields.get(field)));
    if (routing !== undefined) return { field: `${name}.${routing}`, problem: 'not_supported' };
    const formats = FORMAT_FIELDS.flatMap((field) =>
      formatsOf(config, peeked.fields.get(field), `${name}.${field}`),
    );
    for (const field of CONFIG_FIELDS) {
      const read = modalities(config, peeked.fields.get(field), `${name}.${field}`);
      if ('problem' in read) return read;
      if (read.length > 0) return [...read, ...formats];
    }
    if (formats.length > 0) return formats;
  }
  return NONE;
}

/** A list of objects, or one object; their fields name the kinds. */
function formatsOf(config: Buffer, span: JsonSpan | undefined, field: string) {
  const formats: Outputs[number][] = [];
  if (!span) return formats;
  const keys = new JsonKeys();
  const depth = config[span.start] === OPEN_BRACE ? 1 : 2;
  keys.start(config, span.start, span.end);
  while (keys.next()) {
    const modality = keys.depth === depth ? keys.keyText()?.toLowerCase() : 'text';
    if (modality !== 'text' && keys.isSomething())
      formats.push({ field, modality: modality ?? 'unreadable' });
  }
  return formats;
}

/** A list of all modalities is far shorter. */
const MAX_MODALITIES_BYTES = 1000;

/** The list is short, so it is parsed. */
function modalities(
  body: Buffer,
  span: JsonSpan | undefined,
  field: string,
): Outputs | ToolsProblem {
  if (!span || !given(body, span)) return NONE;
  if (span.end - span.start > MAX_MODALITIES_BYTES) return { field, problem: 'wrong_type' };
  const names = parsedList(body.toString('utf8', span.start, span.end));
  if (!names?.every((name) => typeof name === 'string')) return { field, problem: 'wrong_type' };
  return names
    .map((name) => ({ field, modality: name.toLowerCase() }))
    .filter(({ modality }) => modality !== 'text' && modality !== 'modality_unspecified');
}

/** Nested values are not validated before, so the list may be malformed. */
function parsedList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [list];
  } catch {
    return undefined;
  }
}
