// Carries a vendor's proof of a thought through another vendor's format, whose field for it is one opaque text. The text
// names the vendor, so that the next request returns the proof to where it is valid; at any other vendor the thought is
// dropped, because it would be refused.

import { DIALECTS, type DialectName, type Signature } from './neutral-request.ts';

const PREFIX = 'spillway.';

/** The text for a field of `format`: the vendor's own proof unchanged, any other one wrapped. */
export function wrapSignature({ vendor, data }: Signature, format: DialectName): string {
  if (vendor === format) return data;
  return `${PREFIX}${vendor}.${Buffer.from(data).toString('base64url')}`;
}

/** The inverse, for a text that came in a field of `format`. */
export function unwrapSignature(text: string, format: DialectName): Signature {
  const [, vendor, data] = /^spillway\.(\w+)\.([\w-]*)$/.exec(text) ?? [];
  const known = DIALECTS.find((name) => name === vendor);
  if (known === undefined || data === undefined) return { vendor: format, data: text };
  return { vendor: known, data: Buffer.from(data, 'base64url').toString() };
}
