// Keeps message bodies as bytes. The driver parses JSON and text bodies by their content type, without an option to
// turn this off: numbers lose digits, and the original bytes are lost. So the content type is moved to another field
// before the driver reads it. This overrides a private method of the driver; its version is pinned, and a test covers
// it. Without that method `bytesOf` serialises the parsed body again.

import type { AsyncMessage, Channel } from 'rabbitmq-client';

const SAVED = 'rawContentType';

/** Makes the channel deliver every body as the bytes that were sent. */
export function keepBodiesRaw(channel: Channel): void {
  const original: unknown = Reflect.get(channel, '_onHeader');
  if (typeof original !== 'function') return;
  Reflect.set(channel, '_onHeader', (frame: unknown) => {
    hideContentType(frame);
    Reflect.apply(original, channel, [frame]);
  });
}

export function bytesOf(message: AsyncMessage): Buffer {
  const body: unknown = message.body;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

export function contentTypeOf(message: AsyncMessage): string | undefined {
  const saved: unknown = Reflect.get(message, SAVED);
  return typeof saved === 'string' ? saved : message.contentType;
}

function hideContentType(frame: unknown): void {
  if (typeof frame !== 'object' || frame === null || !('fields' in frame)) return;
  const { fields } = frame;
  if (typeof fields !== 'object' || fields === null || !('contentType' in fields)) return;
  Reflect.set(fields, SAVED, fields.contentType);
  // Not deleted: that would turn the object into a slow dictionary.
  Reflect.set(fields, 'contentType', undefined);
}
