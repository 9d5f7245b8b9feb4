// A reasoning item ↔ the neutral thought. OpenAI's proof is the item's id with its encrypted content; both travel as one
// opaque text.

import { structureOf } from '../../kernel/json-depth.ts';
import { defined, Fields, isObject } from '../fields.ts';
import type { JsonObject, ReasoningPart } from '../neutral-request.ts';
import { type Proof, unwrapProof, wrapSignature } from '../signature.ts';

export function readReasoningItem(item: Fields): ReasoningPart {
  const summary = item.objects('summary').map((part) => part.text('text') ?? '');
  const content = item.objects('content').map((part) => part.text('text') ?? '');
  const encrypted = item.text('encrypted_content');
  const id = item.text('id') ?? '';
  return {
    kind: 'reasoning',
    text: (content.length > 0 ? content : summary).join('\n\n'),
    ...(encrypted === undefined
      ? { signature: undefined, isRedacted: false }
      : unwrapped(encrypted, id)),
  };
}

function unwrapped(encrypted: string, id: string): Proof {
  const proof = unwrapProof(encrypted, 'responses');
  if (proof.signature.vendor !== 'responses') return proof;
  const signature = { vendor: 'responses' as const, data: JSON.stringify({ id, encrypted }) };
  return { signature, isRedacted: false };
}

/** As an item of a request; undefined if OpenAI would refuse it. */
export function writeReasoningItem({ text, signature }: ReasoningPart): JsonObject | undefined {
  if (signature?.vendor !== 'responses') return undefined;
  const own = parsed(signature.data);
  if (!own) return undefined;
  return {
    type: 'reasoning',
    id: own.id,
    summary: summaryOf(text),
    encrypted_content: own.encrypted,
  };
}

/** As an item of an answer. */
export function answeredReasoning(
  { text, signature, isRedacted }: ReasoningPart,
  id: string,
): JsonObject {
  const own = signature?.vendor === 'responses' ? parsed(signature.data) : undefined;
  return defined({
    type: 'reasoning',
    id: own?.id ?? id,
    summary: summaryOf(text),
    encrypted_content:
      own?.encrypted ?? (signature && wrapSignature(signature, 'responses', isRedacted)),
  });
}

function summaryOf(text: string): readonly JsonObject[] {
  return text === '' ? [] : [{ type: 'summary_text', text }];
}

function parsed(data: string): { readonly id: string; readonly encrypted: string } | undefined {
  // The JSON of two texts has little structure; a text with more was written by the caller.
  if (structureOf(data, MAX_PROOF_STRUCTURE) >= MAX_PROOF_STRUCTURE) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    if (!isObject(value)) return undefined;
    const fields = new Fields(value);
    return { id: fields.needText('id'), encrypted: fields.needText('encrypted') };
  } catch {
    return undefined;
  }
}

const MAX_PROOF_STRUCTURE = 1000;
