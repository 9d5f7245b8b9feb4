import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readEvents, type ServerEvent } from './event-stream.ts';

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function read(chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const event of readEvents(bodyOf(chunks))) found.push(event);
  return found;
}

/** Cuts bytes at the given positions, even within a character. */
function cut(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const ends = [...new Set(at.map((position) => position % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
}

test('events are the same wherever the network cuts the stream', async () => {
  const texts = [
    'retry: 2000\n\n: keep-alive\n\nid: 1\ndata: {"a":"ü€🙂"}\n\nid: 2\nevent: error\ndata: x\ndata: y\n\nid: 3\n\ndata: z\n\n',
    'data: one\r\n\r\ndata: two\r\ndata\r\n\r\n',
  ];
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    const whole = await read([bytes]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 12 }), async (at) => {
        assert.deepEqual(await read(cut(bytes, at)), whole);
      }),
    );
  }
});

test('ids persist, names and lines of data belong to one event, an incomplete last event is dropped', async () => {
  const text = 'id: 7\nevent: error\ndata: a\ndata:b\n\ndata: c\n\ndata: cut off';
  assert.deepEqual(await read([new TextEncoder().encode(text)]), [
    { id: '7', type: 'error', data: 'a\nb' },
    { id: '7', type: 'message', data: 'c' },
  ]);
});

test('the retry field and every chunk are reported', async () => {
  const seen: unknown[] = [];
  const body = bodyOf(['retry: 250\n\n', ': x\n\n'].map((text) => new TextEncoder().encode(text)));
  const hooks = {
    onChunk: () => void seen.push('chunk'),
    onRetry: (ms: number) => void seen.push(ms),
  };
  for await (const event of readEvents(body, hooks)) seen.push(event);
  assert.deepEqual(seen, ['chunk', 250, 'chunk']);
});

test('leaving the loop cancels the body', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('data: x\n\n'));
    },
    cancel() {
      isCancelled = true;
    },
  });
  for await (const event of readEvents(body)) {
    assert.equal(event.data, 'x');
    break;
  }
  assert.equal(isCancelled, true);
});
