// Assembles a Messages stream: message_start is the message, content_block_start opens a block, deltas fill it,
// message_delta carries the stop reason and usage. A tool's input arrives as fragments of JSON and becomes an object; if
// the fragments do not parse, the block keeps the input it began with.

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

export function createAnthropicGatherer(): FormatGatherer {
  return new AnthropicGatherer();
}

class AnthropicGatherer implements FormatGatherer {
  readonly #message: Fields = newFields();
  readonly #usage: Fields = newFields();
  readonly #blocks = new Map<number, Fields>();
  #text = '';
  #isBegun = false;

  read(event: Readonly<Record<string, unknown>>, kind: string): void {
    switch (kind) {
      case 'message_start':
        return this.#begin(event['message']);
      case 'content_block_start':
        return this.#fill(event['index'], event['content_block']);
      case 'content_block_delta':
        return this.#readDelta(event['index'], event['delta']);
      case 'message_delta':
        return this.#readEnd(event);
      default:
    }
  }

  text(): string {
    return this.#text;
  }

  answer(): Fields | undefined {
    if (!this.#isBegun) return undefined;
    const content = inOrder(this.#blocks).map(finishedBlock);
    return { ...this.#message, content, usage: this.#usage };
  }

  #begin(message: unknown): void {
    if (!isRecord(message)) return;
    const { content, usage, ...rest } = message;
    this.#isBegun = true;
    keepLatest(this.#message, rest);
    if (isRecord(usage)) keepLatest(this.#usage, usage);
    for (const [index, block] of listOf(content).entries()) this.#fill(index, block);
  }

  #readDelta(index: unknown, delta: unknown): void {
    if (!isRecord(delta)) return;
    const { type, ...piece } = delta;
    // Each delta adds one citation to the block's list.
    if (type === 'citations_delta') this.#fill(index, { citations: [piece['citation']] });
    else this.#fill(index, piece);
  }

  #fill(index: unknown, piece: unknown): void {
    if (!isRecord(piece)) return;
    join(entryAt(this.#blocks, index, newFields), piece);
    this.#text += textOf(piece['text']);
  }

  #readEnd({ type: _type, delta, usage, ...rest }: Readonly<Record<string, unknown>>): void {
    keepLatest(this.#message, rest);
    if (isRecord(delta)) keepLatest(this.#message, delta);
    if (isRecord(usage)) keepLatest(this.#usage, usage);
  }
}

function finishedBlock({ partial_json: pieces, ...block }: Fields): Fields {
  if (textOf(pieces) === '') return block;
  try {
    return { ...block, input: JSON.parse(textOf(pieces)) };
  } catch {
    return block;
  }
}
