// Random pieces of conversations: texts, arguments of calls, and thoughts with their proofs.

import fc from 'fast-check';
import type {
  DialectName,
  ReasoningPart,
  Signature,
} from '../../../src/translation/neutral-request.ts';

export const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
export const word = fc.stringMatching(/^[a-z]{1,8}$/);
export const args = fc
  .dictionary(word, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)))
  .map((value) => JSON.stringify(value));

const opaque = fc.base64String({ minLength: 4, maxLength: 40 });

/** OpenAI's proof has two fields. Chat Completions has none. */
const SIGNING_VENDORS = ['messages', 'responses', 'generate'] as const;

export function signatureOf(vendor: DialectName): fc.Arbitrary<Signature> {
  return opaque.map((data) => ({
    vendor,
    data: vendor === 'responses' ? JSON.stringify({ id: 'rs_1', encrypted: data }) : data,
  }));
}

/** With text, with a proof, or with both; only Anthropic redacts. */
export function thoughtOf(vendor: DialectName): fc.Arbitrary<ReasoningPart> {
  const kind = 'reasoning' as const;
  const signed = fc
    .tuple(fc.oneof(text, fc.constant('')), signatureOf(vendor))
    .map(([each, signature]) => ({ kind, text: each, signature, isRedacted: false }));
  if (vendor !== 'messages') return signed;
  const redacted = signatureOf(vendor).map((signature) => ({
    kind,
    text: '',
    signature,
    isRedacted: true,
  }));
  return fc.oneof(signed, redacted);
}

const unsigned = text.map((each) => ({
  kind: 'reasoning' as const,
  text: each,
  signature: undefined,
  isRedacted: false,
}));

export const thought: fc.Arbitrary<ReasoningPart> = fc.oneof(
  unsigned,
  ...SIGNING_VENDORS.map(thoughtOf),
);
