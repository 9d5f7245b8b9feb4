// Gemini attaches the proof of a thought to the text or function call that follows the thought; the neutral form keeps it
// with the thought itself. The proof must come back with the same part, or Gemini 3 refuses the request.

import type { JsonObject, ReasoningPart, Signature } from '../neutral-request.ts';
import { unwrapProof, wrapSignature } from '../signature.ts';

type AnyPart = { readonly kind: string };

/** The thought that a signed part stands for; empty for a part without a signature. */
export function thoughtOf(text: string, data: string | undefined): readonly ReasoningPart[] {
  if (data === undefined) return text === '' ? [] : [unsigned(text)];
  return [{ kind: 'reasoning', text, ...unwrapProof(data, 'generate') }];
}

export function unsigned(text: string): ReasoningPart {
  return { kind: 'reasoning', text, signature: undefined, isRedacted: false };
}

/** A thought's text and the proof on the part after it are one thought. */
export function joinThoughts<T extends AnyPart>(
  parts: readonly T[],
): readonly (T | ReasoningPart)[] {
  const joined: (T | ReasoningPart)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isReasoning(part) && part.text === '' && last && isReasoning(last) && !last.signature)
      joined[joined.length - 1] = { ...part, text: last.text };
    else joined.push(part);
  }
  return joined;
}

/** Writes parts in order; the proof of a thought goes to the part that follows it, or stays if none does. */
export function writeSigned<T extends AnyPart>(
  parts: readonly (T | ReasoningPart)[],
  write: (part: T) => readonly JsonObject[],
  proofOf: (part: ReasoningPart) => string | undefined,
): readonly JsonObject[] {
  let pending: string | undefined;
  const written = parts.flatMap((part, at): readonly JsonObject[] => {
    if (isReasoning(part)) {
      const proof = proofOf(part);
      const next = parts[at + 1];
      const isAttached = next !== undefined && !isReasoning(next);
      if (isAttached) pending = proof;
      return writeThought(part.text, isAttached ? undefined : proof);
    }
    const [first, ...others] = write(part);
    if (!first) return others;
    const signed = pending === undefined ? first : { ...first, thoughtSignature: pending };
    pending = undefined;
    return [signed, ...others];
  });
  return pending === undefined ? written : [...written, ...writeThought('', pending)];
}

export function writeThought(text: string, proof: string | undefined): readonly JsonObject[] {
  if (proof === undefined) return text === '' ? [] : [{ text, thought: true }];
  return [{ text, thought: true, thoughtSignature: proof }];
}

/** The proof in an answer: any vendor's, wrapped if it is not Google's. */
export function answeredProof({ signature, isRedacted }: ReasoningPart): string | undefined {
  return signature && wrapSignature(signature, 'generate', isRedacted);
}

/** The proof in a request to Gemini: only Google's proofs are valid there. */
export function ownProof(signature: Signature | undefined): string | undefined {
  return signature?.vendor === 'generate' ? signature.data : undefined;
}

/** Google's documented mark for calls that another model made, or that lost their proof at the client. */
export const SKIPS_VALIDATION = 'skip_thought_signature_validator';
const VALIDATES = /gemini-(?:[3-9]|\d{2})/;

/** Gemini 3 and later refuse a turn if its first function call has no proof. */
export function signFirstCall(model: string, parts: readonly JsonObject[]): readonly JsonObject[] {
  const at = parts.findIndex((part) => 'functionCall' in part);
  const first = parts[at];
  if (!first || 'thoughtSignature' in first || !VALIDATES.test(model)) return parts;
  return parts.with(at, { ...first, thoughtSignature: SKIPS_VALIDATION });
}

function isReasoning(part: AnyPart): part is ReasoningPart {
  return part.kind === 'reasoning';
}
