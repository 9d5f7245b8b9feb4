// Finds an error inside a provider's JSON that is not an error as a whole: at the top level beside an answer, or in one
// of its choices or candidates. Only the error goes to the error mapper, because text of the model beside it means
// nothing there. Pure; the body is walked, not parsed, and may be large.

import { OPEN_BRACE, QUOTE, skipSpace } from './scan.ts';
import { JsonKeys } from './walk-keys.ts';

/** The error mapper reads at most this much. */
const MAX_ERROR_BYTES = 8 * 1024;

/** Object, list, member. */
export const LIST_MEMBER_DEPTH = 3;

/**
 * The error of a body with status 200, at the top level or in one of its choices or candidates, as JSON with an `error`
 * member; undefined without one. Fields of content, such as a tool's arguments, are no errors. The body may be large.
 */
export function errorIn(body: Buffer): Buffer | undefined {
  if (!containsError(body)) return undefined;
  const keys = new JsonKeys();
  keys.start(body, 0, body.length);
  let isInList = false;
  while (keys.next()) {
    if (keys.depth === 1) isInList = keys.isKey('choices') || keys.isKey('candidates');
    const isMember = keys.depth === 1 || (isInList && keys.depth === LIST_MEMBER_DEPTH);
    if (isMember && keys.isKey('error') && keys.isSomething()) return errorMember(keys, body);
  }
  return undefined;
}

/** The value of the walker's `error` key, bounded to the bytes that the error mapper reads. */
export function errorMember(keys: JsonKeys, bytes: Buffer): Buffer {
  const { start, end } = keys.takeValue() ?? { start: keys.valueStart, end: bytes.length };
  const value = bytes.subarray(start, Math.min(end, start + MAX_ERROR_BYTES));
  return Buffer.concat([Buffer.from('{"error":'), value, Buffer.from('}')]);
}

/** Quotes within a text are escaped, so this matches keys and values only. */
const ERROR = Buffer.from('"error"');
const LOWER_T = 0x74;

/** True when an `error` key has an object, a string or true; many successful responses contain `"error": null`. */
export function containsError(body: Buffer): boolean {
  for (let key = body.indexOf(ERROR); key >= 0; key = body.indexOf(ERROR, key + 1)) {
    const value = skipSpace(body, skipSpace(body, key + ERROR.length) + 1);
    if (body[value] === OPEN_BRACE || body[value] === QUOTE || body[value] === LOWER_T) return true;
  }
  return false;
}
