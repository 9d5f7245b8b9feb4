// The bytes of a request that count as text for the estimate of its tokens. Media in base64 has far fewer tokens than a quarter of
// its bytes, so that it counts as at most the tokens of an image or of a long document. Pure.

import { DEFAULT_IMAGE_TOKENS } from '../../../metering/prices/image-tokens.ts';
import { BYTES_PER_TOKEN } from '../../../metering/usage/token-estimate.ts';
import type { References } from '../../../upstream/json/references.ts';

/** A document of about fifty pages; shorter ones have about one token per sixteen bytes of base64. */
const DOCUMENT_TOKENS = 100_000;
const DOCUMENT_BYTES_PER_TOKEN = 16;

export function estimatedInputBytes(body: Buffer, references: References): number {
  const { mediaBytes = 0, images, isUnbounded } = references;
  if (mediaBytes === 0) return body.length;
  const ofDocuments = isUnbounded ? Math.ceil(mediaBytes / DOCUMENT_BYTES_PER_TOKEN) : 0;
  const tokens = images * DEFAULT_IMAGE_TOKENS + Math.min(ofDocuments, DOCUMENT_TOKENS);
  return body.length - mediaBytes + Math.min(mediaBytes, tokens * BYTES_PER_TOKEN);
}
