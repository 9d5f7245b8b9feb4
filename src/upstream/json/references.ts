// Finds the files and image URLs that a request refers to but does not contain. The size of the request does not bound
// what the provider reads for them, so the worst case adds it. The search is by field name anywhere in the bytes, with as
// few passes as the format allows. Quotes within a text are escaped, so a mere mention does not match; a false match only
// makes the reservation larger. References to a stored conversation are top-level fields: see output-limits.ts.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export type References = {
  /** A reference of unknown length: up to the model's context window. */
  readonly isUnbounded: boolean;
  readonly images: number;
};

const NONE: References = Object.freeze({ isUnbounded: false, images: 0 });

type Names = {
  readonly unbounded: readonly Buffer[];
  /** Fields that hold the URL of an image, or of a document. */
  readonly urls: readonly Buffer[];
};

const NAMES: Readonly<Record<ProviderFormat, Names>> = {
  anthropic: { unbounded: bytes('"file_id"'), urls: bytes('"url"') },
  openai: {
    unbounded: bytes('"file_id"', '"file_url"'),
    urls: bytes('"image_url"'),
  },
  gemini: {
    unbounded: bytes('"fileUri"', '"file_uri"', '"cachedContent"', '"cached_content"'),
    urls: [],
  },
};
const DOCUMENT = Buffer.from('"document"');

export function peekReferences(format: ProviderFormat, body: Buffer): References {
  const { unbounded, urls } = NAMES[format];
  let images = 0;
  for (const name of urls) images += count(body, name);
  if (unbounded.some((name) => body.includes(name))) return { isUnbounded: true, images };
  if (images === 0) return NONE;
  return { isUnbounded: body.includes(DOCUMENT), images };
}

function bytes(...names: readonly string[]): readonly Buffer[] {
  return names.map((name) => Buffer.from(name));
}

function count(body: Buffer, name: Buffer): number {
  let found = 0;
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + name.length)) found += 1;
  return found;
}
