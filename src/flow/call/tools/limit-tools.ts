// Bounds the uses of the tools that a provider runs, in a request whose worst case exceeds its budget: `max_tool_calls` of the
// Responses API counts the uses of all tools together and ignores further ones. No other format has such a field. Pure.

import type { BodyEdit } from '../../../upstream/json/edit-body.ts';
import type { JsonSpan } from '../../../upstream/json/peek-fields.ts';
import { skipSpace } from '../../../upstream/json/scan.ts';
import type { NativeRoute } from '../../../upstream/native-route.ts';
import { isNull, type StatedRequest } from '../read-request.ts';

/** False for a request that has no such tool or states a bound itself. */
export function canLimitTools(
  { operation, pathModel }: NativeRoute,
  body: Buffer,
  { features }: StatedRequest,
  calls: JsonSpan | undefined,
): boolean {
  if (operation !== 'responses' || pathModel !== undefined) return false;
  return features !== undefined && features.tools.length > 0 && (!calls || isNull(body, calls));
}

/** The edit that adds the bound; `calls` is the span of the field's null, if it is present. */
export function toolLimitEdit(
  body: Buffer,
  calls: JsonSpan | undefined,
  maxToolCalls: number | undefined,
): BodyEdit | undefined {
  if (maxToolCalls === undefined) return undefined;
  if (calls) return { ...calls, text: String(maxToolCalls) };
  const start = skipSpace(body, 0) + 1;
  return { start, end: start, text: `"max_tool_calls":${maxToolCalls},` };
}
