// Assembles a Chat Completions stream: each chunk's deltas are joined to the message of their choice, tool calls by their
// index. Fields of the whole completion (model, usage) keep their latest value.

import type { FormatGatherer } from './format-gatherer.ts';
import {
  entryAt,
  type Fields,
  inOrder,
  isRecord,
  join,
  keepLatest,
  listOf,
  newFields,
  textOf,
} from './join-fields.ts';

export function createChatGatherer(): FormatGatherer {
  const completion = newFields();
  const choices = new Map<number, Fields>();
  let text = '';
  let isBegun = false;

  function readChoice(choice: unknown): void {
    if (!isRecord(choice)) return;
    const { delta, ...rest } = choice;
    const message = isRecord(delta) ? delta : {};
    join(entryAt(choices, choice['index'], newFields), { ...rest, message });
    // The text is that of the first choice.
    if ((choice['index'] ?? 0) === 0) text += textOf(message['content']);
  }

  return {
    read({ choices: given, obfuscation: _padding, ...rest }) {
      if (!Array.isArray(given)) return;
      isBegun = true;
      keepLatest(completion, rest);
      listOf(given).forEach(readChoice);
    },
    text: () => text,
    answer() {
      if (!isBegun) return undefined;
      const finished = inOrder(choices).map(finishedChoice);
      return { ...completion, object: 'chat.completion', choices: finished };
    },
  };
}

/** The fields that every unary message has. */
const EMPTY_MESSAGE = Object.freeze({
  role: 'assistant',
  content: null,
  refusal: null,
  annotations: [],
});

function finishedChoice({ message, ...choice }: Fields): Fields {
  const filled: Fields = { ...EMPTY_MESSAGE, ...(isRecord(message) ? message : {}) };
  const calls = filled['tool_calls'];
  if (Array.isArray(calls)) filled['tool_calls'] = finishedCalls(calls);
  return { ...choice, message: filled };
}

/** Ordered by index, which a unary response does not contain; some providers send none. */
function finishedCalls(calls: readonly unknown[]): readonly unknown[] {
  const records = calls.filter(isRecord);
  return records
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .map(({ index: _index, ...call }) => call);
}

function indexOf({ index }: Readonly<Record<string, unknown>>): number {
  return typeof index === 'number' ? index : Number.MAX_SAFE_INTEGER;
}
