// Freeform tools of the Responses API, whose input is a text and not JSON. No other format has them, so they travel as
// functions with one text argument. The name of the argument marks them: a call of such a function is a freeform call.

import type { Fields } from '../fields.ts';
import { isObject } from '../fields.ts';
import type { ToolDefinition } from '../neutral-request.ts';

const ARGUMENT = 'freeform_input';

/** The grammar of a freeform tool is described to the model, because it cannot be enforced elsewhere. */
export function freeformTool(tool: Fields): ToolDefinition {
  const format = tool.object('format');
  const grammar = format?.text('definition');
  const note = grammar === undefined ? '' : `\n\nThe input must match this grammar:\n${grammar}`;
  return {
    name: tool.needName('name'),
    description: `${tool.text('description') ?? ''}${note}`,
    parameters: {
      type: 'object',
      properties: {
        [ARGUMENT]: { type: 'string', description: 'The whole input, as plain text.' },
      },
      required: [ARGUMENT],
      additionalProperties: false,
    },
    isStrict: undefined,
  };
}

export function wrapFreeform(input: string): string {
  return JSON.stringify({ [ARGUMENT]: input });
}

/** The text of a freeform call; undefined for the arguments of any other function. */
export function unwrapFreeform(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const input = isObject(value) && Object.keys(value).length === 1 ? value[ARGUMENT] : undefined;
    return typeof input === 'string' ? input : undefined;
  } catch {
    return undefined;
  }
}
