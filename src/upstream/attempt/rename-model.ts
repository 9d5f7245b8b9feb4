// The same request for a model of another name: what an alias or `provider/model` needs before its bytes can go to
// the provider. Everything but the name stays as it came, byte for byte. Pure.

import type { JsonSpan } from '../json/peek-json.ts';
import { BACKSLASH, COLON } from '../json/peek-json-scan.ts';

/** The body with another value at the span of its `model`. */
export function renameModel(body: Buffer, span: JsonSpan, model: string): Buffer {
  const value = Buffer.from(JSON.stringify(model));
  return Buffer.concat([body.subarray(0, span.start), value, body.subarray(span.end)]);
}

/**
 * Gemini has the model in the path, but batches of embeddings repeat it in each request as `models/{name}` and are
 * refused when it is another one. Only values of a key `model` are renamed, never words that look like one.
 */
export function renameNestedModels(body: Buffer, from: string, to: string): Buffer {
  const old = Buffer.from(JSON.stringify(`models/${from}`));
  const replacement = Buffer.from(JSON.stringify(`models/${to}`));
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = body.indexOf(old); at >= 0; at = body.indexOf(old, at + old.length)) {
    if (!isModelValue(body, at)) continue;
    pieces.push(body.subarray(copied, at), replacement);
    copied = at + old.length;
  }
  return copied === 0 ? body : Buffer.concat([...pieces, body.subarray(copied)]);
}

const KEY = Buffer.from('"model"');

function isModelValue(body: Buffer, valueAt: number): boolean {
  const colon = lastBefore(body, valueAt);
  if (body[colon] !== COLON) return false;
  const keyEnd = lastBefore(body, colon) + 1;
  const key = body.subarray(Math.max(0, keyEnd - KEY.length), keyEnd);
  // Behind a backslash it is the end of a text that quotes such a key.
  return key.equals(KEY) && body[keyEnd - KEY.length - 1] !== BACKSLASH;
}

/** The last byte before `at` that is no white space. */
function lastBefore(body: Buffer, at: number): number {
  let before = at - 1;
  while (
    body[before] === 0x20 ||
    body[before] === 0x0a ||
    body[before] === 0x0d ||
    body[before] === 0x09
  )
    before -= 1;
  return before;
}
