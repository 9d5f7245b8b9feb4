// The driver parses bodies that are called JSON or text before it hands them over: numbers lose digits, and what
// was sent cannot be told any more. It has no switch for that. It decides by the content type, so that is put
// aside under another name before it looks. This reaches into the driver, whose version is pinned; a test holds
// it, and should it ever do nothing, `bytesOf` gives the nearest thing to the body.

import type { AsyncMessage, Channel } from 'rabbitmq-client';

const SAVED = 'rawContentType';

/** From now on the channel delivers every body as the bytes that were sent. */
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
  // Not deleted: that would make the object slow for all who come after.
  Reflect.set(fields, 'contentType', undefined);
}
