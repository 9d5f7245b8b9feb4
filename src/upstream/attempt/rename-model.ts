// Replaces the model name in a request body, as an alias or `provider/model` requires. All other bytes stay unchanged.
// Pure.

import type { BodyEdit } from '../json/edit-body.ts';
import type { JsonSpan } from '../json/peek-fields.ts';
import { BACKSLASH, COLON } from '../json/scan.ts';

/** The edit that puts another name at the span of the body's `model`. */
export function renameModelEdit({ start, end }: JsonSpan, model: string): BodyEdit {
  return { start, end, text: JSON.stringify(model) };
}

/**
 * Gemini has the model in the path, but embedding batches repeat it in each request as `models/{name}`, and Gemini refuses
 * a mismatch. Only values of a `model` key are replaced, never equal text elsewhere.
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
  // Behind a backslash the quote belongs to a string that mentions such a key.
  return key.equals(KEY) && body[keyEnd - KEY.length - 1] !== BACKSLASH;
}

/** The position of the last byte before `at` that is not white space. */
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
