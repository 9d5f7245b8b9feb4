// Reads the requests of Gemini's embedding batches: their number, and a model that they name beside the one in the path. Google
// refuses a mismatch; a compatible provider may serve the named one, which has another price and may not be on a key's list.
// Pure.

import { NameTable } from './name-table.ts';
import { peekFields } from './peek-fields.ts';
import { elementsOf } from './request-tools.ts';
import { JsonKeys } from './walk-keys.ts';

/** The depth of the keys of `requests[i]`. */
const REQUEST_DEPTH = 3;

/** The path of the first `model` that differs from the path's. */
export function findOtherModel(body: Buffer, pathModel: string): string | undefined {
  const keys = new JsonKeys();
  keys.start(body, 0, body.length);
  while (keys.next()) {
    if (keys.depth !== 1 && keys.depth !== REQUEST_DEPTH) continue;
    if (!keys.isKey('model') && keys.keyText() !== 'model') continue;
    const model = keys.textValue();
    if (model !== pathModel && model !== `models/${pathModel}`)
      return keys.depth === 1 ? 'model' : 'requests[].model';
  }
  return undefined;
}

/** 1 for a request that is no batch; for a batch that parsers read differently, more than any vendor accepts. */
export function countRequests(body: Buffer): number {
  const peeked = peekFields(body, REQUESTS);
  if (!peeked.ok) return MAX_REQUESTS;
  const span = peeked.fields.get('requests');
  if (!span) return 1;
  return Math.max(1, elementsOf(body, span, { left: MAX_REQUESTS })?.length ?? MAX_REQUESTS);
}

const REQUESTS = new NameTable(['requests']);
const MAX_REQUESTS = 10_000;
