// Finds a model that the requests of Gemini's embedding batches name beside the one in the path. Google refuses a mismatch; a
// compatible provider may serve the named one, which has another price and may not be on a key's list. Pure.

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
