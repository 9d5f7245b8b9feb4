// Bounds the part of a JSON text that has to be read byte by byte: everything between its strings, which are skipped
// natively. A body of millions of numbers or empty objects is within its size limit and blocks the process for seconds
// where it is parsed. Bodies below the bound are not scanned. Malformed text, and text that is nested too deeply, is left to its
// reader, whose refusal names the cause.

import { MAX_JSON_DEPTH } from '../../kernel/json-depth.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './scan.ts';

/** More than the largest batch of token ids that an embeddings endpoint accepts (300,000 ids of seven bytes). */
export const MAX_STRUCTURE_BYTES = 4 * 1024 * 1024;

/** True for a text with more bytes between its strings than the bound; a string counts as its quotes. */
export function hasTooMuchStructure(json: Buffer, maxBytes = MAX_STRUCTURE_BYTES): boolean {
  if (json.length <= maxBytes) return false;
  let left = maxBytes;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    left -= 1;
    if (left < 0) return true;
    const byte = json[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return false;
    if (byte !== QUOTE) continue;
    at = endOfString(json, at + 1);
    if (at < 0) return false;
    left -= 1;
  }
  return false;
}

/** Far more than the longest conversation. A parser takes a microsecond for each, and its readers as much again. */
export const MAX_NODES = 100_000;

/** True for a text with more fields, objects and lists than the bound, for bodies that are parsed whole. */
export function hasTooManyNodes(json: Buffer, maxNodes = MAX_NODES): boolean {
  if (json.length <= maxNodes) return false;
  let left = maxNodes;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at + 1);
      if (at < 0) return false;
    } else if (byte === COLON || byte === OPEN_BRACE || byte === OPEN_BRACKET) left -= 1;
    if (left < 0) return true;
  }
  return false;
}
