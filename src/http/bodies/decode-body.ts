// Decodes a request body: its content coding and a leading byte-order mark. The decoded size is bounded while it is
// inflated, so that a small body cannot become a large one. One coding at most: a chain of codings is refused.

import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { SpillwayError } from '../../errors/spillway-error.ts';

type Decoded = (error: SpillwayError | undefined, body: Buffer) => void;

export function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  limitBytes: number,
  done: Decoded,
): void {
  if (!isEncoded(encoding)) return done(undefined, withoutByteOrderMark(body));
  const decoder = DECODERS.get(encoding.trim().toLowerCase());
  if (!decoder) return done(unsupported(encoding), EMPTY);
  const options = { maxOutputLength: limitBytes, chunkSize: chunkBytes(body.length) };
  decoder(body, options, (error, decoded) => {
    if (error) done(failureOf(error, limitBytes), EMPTY);
    else done(undefined, withoutByteOrderMark(decoded));
  });
}

export function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && !/^\s*(?:identity)?\s*$/i.test(encoding);
}

const MIN_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 2 ** 20;
/** More than the usual compression ratio of JSON. */
const EXPANSION = 8;

/** Node's pieces of 16 KiB for small bodies. Thousands of them for a large one would fragment the memory, which then is not returned. */
function chunkBytes(encodedBytes: number): number {
  return Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, encodedBytes * EXPANSION));
}

const EMPTY = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

type Decoder = (
  body: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
  ['zstd', zstdDecompress],
]);

function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

function failureOf(error: Error, limit: number): SpillwayError {
  if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
    return new SpillwayError('REQUEST_TOO_LARGE', 'the decoded body is larger than the limit', {
      params: { limit },
    });
  return new SpillwayError('INVALID_REQUEST', 'the body does not match its content encoding', {
    params: { problem: 'malformed_encoding' },
    cause: error,
  });
}

function unsupported(encoding: string): SpillwayError {
  const message = `the content encoding ${encoding.slice(0, 40)} is not supported`;
  return new SpillwayError('INVALID_REQUEST', message, {
    params: { problem: 'unsupported_encoding' },
  });
}
