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

export type BodyBounds = {
  readonly structureBytes: number;
  readonly nodes: number;
  readonly depth: number;
};

const BOUNDS: BodyBounds = {
  structureBytes: MAX_STRUCTURE_BYTES,
  nodes: MAX_NODES,
  depth: MAX_JSON_DEPTH,
};

/**
 * The first bound that a text exceeds, for bodies that are parsed whole: the bytes between its strings, its fields, objects and
 * lists, or its nesting. One pass, because the strings of a large body take a tenth of a second to skip where they have many
 * escapes.
 */
export function exceededBound(json: Buffer, bounds = BOUNDS): keyof BodyBounds | undefined {
  let bytesLeft = bounds.structureBytes;
  let nodesLeft = bounds.nodes;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    bytesLeft -= 1;
    if (bytesLeft < 0) return 'structureBytes';
    const byte = json[at];
    if (byte === QUOTE) {
      bytesLeft -= 1;
      at = endOfString(json, at + 1);
      if (at < 0) return undefined;
    } else if (byte === COLON) nodesLeft -= 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      nodesLeft -= 1;
      depth += 1;
      if (depth > bounds.depth) return 'depth';
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (nodesLeft < 0) return 'nodes';
  }
  return undefined;
}
