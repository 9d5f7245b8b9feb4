// Bounds the uses of the tools that a provider runs by the uses that are reserved (clear-attempt.ts). `max_tool_calls` of the
// Responses API counts the uses of all tools together and ignores further ones; of Anthropic's tools, searches and fetches have a
// `max_uses` of their own, and further uses are refused to the model. No other tool and no other format has such a field. Pure.

import type { BodyEdit } from '../../../upstream/json/edit-body.ts';
import { NameTable } from '../../../upstream/json/name-table.ts';
import { type JsonSpan, peekFields } from '../../../upstream/json/peek-fields.ts';
import { elementsOf, readUses, type ServerTool } from '../../../upstream/json/request-tools.ts';
import { skipSpace } from '../../../upstream/json/scan.ts';
import type { NativeRoute } from '../../../upstream/native-route.ts';
import type { StatedRequest } from '../read-request.ts';

type Route = Pick<NativeRoute, 'operation' | 'pathModel'>;
type Fields = ReadonlyMap<string, JsonSpan>;

const BOUNDED_KINDS: ReadonlySet<string> = new Set(['web_search', 'web_fetch']);

/** False for a request that has no such tool or bounds its tools itself. */
export function canLimitTools(
  { operation, pathModel }: Route,
  body: Buffer,
  { features }: StatedRequest,
  fields: Fields,
): boolean {
  if (pathModel !== undefined || !features || features.tools.length === 0) return false;
  if (operation === 'messages')
    return features.tools.every(isBounded) && features.tools.some(isOpen);
  return operation === 'responses' && readUses(body, fields.get('max_tool_calls')) === undefined;
}

/** Only the request's own list of tools is edited, and not the tools that messages add. */
function isBounded({ kind, model, field }: ServerTool): boolean {
  return BOUNDED_KINDS.has(kind) && model === undefined && field.startsWith('tools[');
}

function isOpen({ maxUses }: ServerTool): boolean {
  return maxUses === undefined;
}

/** The edits that state the bound. */
export function toolLimitEdits(
  { operation }: Route,
  body: Buffer,
  { features }: StatedRequest,
  fields: Fields,
  maxToolCalls: number | undefined,
): readonly BodyEdit[] {
  if (maxToolCalls === undefined) return NONE;
  if (operation !== 'messages') return [callsEdit(body, fields, maxToolCalls)];
  const span = fields.get('tools');
  const elements = (span && elementsOf(body, span)) ?? NONE;
  const open = features?.tools.filter(isOpen) ?? NONE;
  return open.flatMap(({ field }) => {
    const element = elements[Number(/^tools\[(\d+)\]/.exec(field)?.[1])];
    return element ? [usesEdit(body, element, maxToolCalls)] : [];
  });
}

const NONE: readonly never[] = Object.freeze([]);

function callsEdit(body: Buffer, fields: Fields, maxToolCalls: number): BodyEdit {
  const calls = fields.get('max_tool_calls');
  if (calls) return { ...calls, text: String(maxToolCalls) };
  const start = skipSpace(body, 0) + 1;
  return { start, end: start, text: `"max_tool_calls":${maxToolCalls},` };
}

/** The element is a part of the body. A server tool has a type, so that its object is not empty. */
function usesEdit(body: Buffer, element: Buffer, maxUses: number): BodyEdit {
  const start = element.byteOffset - body.byteOffset;
  const peeked = peekFields(element, MAX_USES);
  const stated = peeked.ok ? peeked.fields.get('max_uses') : undefined;
  if (stated)
    return { start: start + stated.start, end: start + stated.end, text: String(maxUses) };
  return { start: start + 1, end: start + 1, text: `"max_uses":${maxUses},` };
}

const MAX_USES = new NameTable(['max_uses']);
