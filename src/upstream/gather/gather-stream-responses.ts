// Gathers a stream of the Responses API. Its last event repeats the whole response, so only the words are gathered on the
// way, and the items that are done, for servers that leave them out of the response in the end.

import type { FormatGatherer } from './gather-stream-format.ts';
import { entryAt, inOrder, isRecord, listOf, textOf } from './gather-stream-join.ts';

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
