// What a request refers to but does not carry: a stored conversation, a file, a picture at an address. Its bytes say
// nothing of how much the provider will read for it, so the worst case has to add that. Found by name in the bytes,
// wherever it stands, with as few searches as a format allows: a quote within a text is escaped, so what is only talked
// about is not found, and what is found without need costs a larger hold for a while and nothing else. A stored
// conversation is named at the top of a request: whoever reads its fields has seen it.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export type References = {
  /** Something of any length: as much as the model's window holds. */
  readonly isUnbounded: boolean;
  readonly pictures: number;
};

const NONE: References = Object.freeze({ isUnbounded: false, pictures: 0 });

type Names = {
  readonly unbounded: readonly Buffer[];
  /** Where a picture, or something else, lies at an address. */
  readonly addresses: readonly Buffer[];
};

const NAMES: Readonly<Record<ProviderFormat, Names>> = {
  anthropic: { unbounded: bytes('"file_id"'), addresses: bytes('"url"') },
  openai: {
    unbounded: bytes('"file_id"', '"file_url"'),
    addresses: bytes('"image_url"'),
  },
  gemini: {
    unbounded: bytes('"fileUri"', '"file_uri"', '"cachedContent"', '"cached_content"'),
    addresses: [],
  },
};
const DOCUMENT = Buffer.from('"document"');

export function peekReferences(format: ProviderFormat, body: Buffer): References {
  const { unbounded, addresses } = NAMES[format];
  let pictures = 0;
  for (const name of addresses) pictures += count(body, name);
  if (unbounded.some((name) => body.includes(name))) return { isUnbounded: true, pictures };
  if (pictures === 0) return NONE;
  return { isUnbounded: body.includes(DOCUMENT), pictures };
}

function bytes(...names: readonly string[]): readonly Buffer[] {
  return names.map((name) => Buffer.from(name));
}

function count(body: Buffer, name: Buffer): number {
  let found = 0;
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + name.length)) found += 1;
  return found;
}
