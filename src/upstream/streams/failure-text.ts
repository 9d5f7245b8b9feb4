// Recognises a frame by which a provider states a failure in a shape of its own, such as `{"detail":"…"}`. No field of a format has
// these names at the outside of a frame, so the text is not part of the answer. Runs for frames without any known content only.

import { CLOSE_BRACE, CLOSE_BRACKET, skipSpace } from '../json/scan.ts';
import type { JsonKeys } from '../json/walk-keys.ts';

/** Frames with one of these belong to their format. A usage of null, as in the chunks before the last, does not count. */
const KNOWN_KEYS = [
  'choices',
  'usage',
  'candidates',
  'usageMetadata',
  'promptFeedback',
  'delta',
  'content_block',
  'response',
];

const FAILURE_KEYS = [
  'error',
  'errors',
  'message',
  'msg',
  'detail',
  'details',
  'title',
  'reason',
  'description',
  'exception',
  'traceback',
  'err',
  'errmsg',
  'error_message',
  'error_msg',
  'errorMessage',
  'error_description',
];

/** Within one object of the frame, as in `{"status":{"message":"…"}}`. */
const MAX_DEPTH = 2;

/** True for a JSON object that states a failure and has no field of the three formats. Ends the walk of `keys`. */
export function statesFailure(keys: JsonKeys, bytes: Buffer, start: number, end: number): boolean {
  let isStated = false;
  keys.start(bytes, start, end);
  while (keys.next()) {
    if (keys.depth < 1 || keys.depth > MAX_DEPTH || !keys.isSomething()) continue;
    if (keys.depth === 1 && KNOWN_KEYS.some((name) => keys.isKey(name))) return false;
    isStated ||= FAILURE_KEYS.some((name) => keys.isKey(name)) && hasValue(keys);
  }
  return isStated;
}

/** A non-empty text, object or list. */
function hasValue(keys: JsonKeys): boolean {
  if (keys.isText()) return keys.textBytes() > 0;
  if (!keys.isObject() && !keys.isList()) return false;
  const first = keys.bytes[skipSpace(keys.bytes, keys.valueStart + 1)];
  return first !== CLOSE_BRACE && first !== CLOSE_BRACKET;
}
