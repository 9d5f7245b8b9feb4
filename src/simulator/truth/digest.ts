// Fingerprints: how the simulator tells two bodies or two credentials apart without keeping either.

import { hash } from 'node:crypto';

/** SHA-256 of text or bytes, as 64 hexadecimal digits. */
export function digest(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** What the truth log and the scenarios keep of an API key: enough to tell keys apart, not to use one. */
export function hashCredential(credential: string): string {
  return digest(credential).slice(0, 16);
}

/** A small number that depends on every character; picks sentences, never protects anything. */
export function seedOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
