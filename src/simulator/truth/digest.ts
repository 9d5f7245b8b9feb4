// Digests that identify bodies and credentials without storing either.

import { hash } from 'node:crypto';

/** SHA-256 of text or bytes, as 64 hexadecimal digits. */
export function digest(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The stored form of an API key: it distinguishes keys and cannot be used as one. */
export function hashCredential(credential: string): string {
  return digest(credential).slice(0, 16);
}

/** A non-cryptographic hash that selects sentences. */
export function seedOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
