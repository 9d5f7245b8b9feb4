// Assembles a Responses API stream. The last event repeats the whole response, so only the text is collected before it,
// and the finished items, for servers that omit them from the final response.

import type { FormatGatherer } from './format-gatherer.ts';
import { entryAt, inOrder, isRecord, listOf, textOf } from './join-fields.ts';

export function createResponsesGatherer(): FormatGatherer {
  const items = new Map<number, unknown>();
  let text = '';
  let response: Readonly<Record<string, unknown>> | undefined;
  return {
    read(event, kind) {
      const { delta, item, output_index: index } = event;
      if (kind === 'response.output_text.delta') text += textOf(delta);
      else if (kind === 'response.output_item.done') entryAt(items, index, () => item);
      else if (ENDS.has(kind) && isRecord(event['response'])) response = event['response'];
    },
    text: () => text,
    answer() {
      if (!response) return undefined;
      const isWhole = items.size === 0 || listOf(response['output']).length > 0;
      return isWhole ? { ...response } : { ...response, output: inOrder(items) };
    },
  };
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);
