// The identity of a response that a Responses API stream has begun, read from the first bytes relayed. If the stream
// fails, its `response.failed` must name the same response: OpenAI's SDK would take another id for a second response.

import type { BegunResponse } from '../errors/wire-shape.ts';
import { NameTable } from '../upstream/json/name-table.ts';
import { peekFields, readString } from '../upstream/json/peek-fields.ts';

/** `response.created` comes first; a few events of a provider's own may precede it. */
const MAX_EVENTS = 4;

/** `chunk` begins with a whole event. Undefined if it does not announce a response. */
export function readBegunResponse(chunk: Buffer): BegunResponse | undefined {
  let at = 0;
  for (let count = 0; count < MAX_EVENTS; count += 1) {
    const found = chunk.indexOf(DATA, at);
    if (found < 0) return undefined;
    const start = found + DATA.length;
    const lineEnd = chunk.indexOf(LINE_FEED, start);
    at = lineEnd < 0 ? chunk.length : lineEnd;
    const response = responseIn(chunk.subarray(start, at));
    if (response) return identityOf(response);
  }
  return undefined;
}

const DATA = Buffer.from('data:');
const LINE_FEED = 0x0a;
const EVENT_FIELDS = new NameTable(['type', 'response']);
const RESPONSE_FIELDS = new NameTable(['id', 'created_at', 'model']);

function responseIn(data: Buffer): Buffer | undefined {
  const event = peekFields(data, EVENT_FIELDS);
  if (!event.ok || readString(data, event.fields.get('type')) !== 'response.created')
    return undefined;
  const span = event.fields.get('response');
  return span && data.subarray(span.start, span.end);
}

function identityOf(response: Buffer): BegunResponse | undefined {
  const peeked = peekFields(response, RESPONSE_FIELDS);
  if (!peeked.ok) return undefined;
  const id = readString(response, peeked.fields.get('id'));
  if (id === undefined) return undefined;
  const span = peeked.fields.get('created_at');
  const createdAt = span && Number.parseInt(response.toString('latin1', span.start, span.end), 10);
  const model = readString(response, peeked.fields.get('model'));
  return {
    id,
    ...(Number.isSafeInteger(createdAt) && { created_at: createdAt }),
    ...(model !== undefined && { model }),
  };
}
