// Carries a vendor's proof of a thought through another vendor's format, whose field for it is one opaque text. The
// text names the vendor and whether the thought is redacted, so that the next request returns the proof to its vendor
// in its original form; for any other vendor the thought is dropped, because that vendor would refuse it.

import { DIALECTS, type DialectName, type Signature } from './neutral-request.ts';

/** Every wrapped proof begins with this prefix, and no vendor's own proof does: base64 has no dots. */
export const WRAPPED_PREFIX = 'spillway.';

const REDACTED = '-redacted';
const WRAPPED = /^spillway\.([a-z]+)(-redacted)?\.([\w-]*)$/;

export type Proof = { readonly signature: Signature; readonly isRedacted: boolean };

/** The text for a field of `format`: a proof of that format's vendor unchanged, any other proof wrapped. */
export function wrapSignature(
  { vendor, data }: Signature,
  format: DialectName,
  isRedacted = false,
): string {
  if (vendor === format) return data;
  const kind = isRedacted ? REDACTED : '';
  return `${WRAPPED_PREFIX}${vendor}${kind}.${Buffer.from(data).toString('base64url')}`;
}

/** The inverse, for a text that came in a field of `format`. */
export function unwrapSignature(text: string, format: DialectName): Signature {
  return unwrapProof(text, format).signature;
}

/** As `unwrapSignature`, with the form of the thought. */
export function unwrapProof(text: string, format: DialectName): Proof {
  const [, vendor, redacted, data] = WRAPPED.exec(text) ?? [];
  const known = DIALECTS.find((name) => name === vendor);
  if (known === undefined || data === undefined)
    return { signature: { vendor: format, data: text }, isRedacted: false };
  const signature = { vendor: known, data: Buffer.from(data, 'base64url').toString() };
  return { signature, isRedacted: redacted !== undefined };
}
