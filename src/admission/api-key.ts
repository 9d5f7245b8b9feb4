// A caller's key: `sk-spill-`, 32 random base-62 characters (190.5 bits), and a checksum of six. The checksum rejects
// typing mistakes and guesses without a store lookup; it is no protection by itself. The store holds a keyed hash: a
// stolen table is useless without the hash key.

import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sk-spill-';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const KEY_LENGTH = PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
const DISPLAY_CHARACTERS = PREFIX.length + 4;
/** The largest multiple of 62 in a byte: bytes above it would make the first characters more likely. */
const FAIR_BYTES = 248;

export type RandomBytes = (size: number) => Uint8Array;

export function makeApiKey(random: RandomBytes = randomBytes): string {
  const body = PREFIX + randomCharacters(random);
  return body + checksumOf(body);
}

/** Whether the text has the format of a Spillway key, checksum included. */
export function hasValidChecksum(key: string): boolean {
  if (key.length !== KEY_LENGTH || !key.startsWith(PREFIX)) return false;
  const end = key.length - CHECKSUM_CHARACTERS;
  return checksumOf(key.slice(0, end)) === key.slice(end);
}

export function hashApiKey(key: string, hashKey: string): string {
  return createHmac('sha256', hashKey).update(key).digest('base64url');
}

/** The first characters, shown in lists instead of the key. */
export function displayPrefix(key: string): string {
  return key.slice(0, DISPLAY_CHARACTERS);
}

function randomCharacters(random: RandomBytes): string {
  let characters = '';
  while (characters.length < RANDOM_CHARACTERS) {
    for (const byte of random(RANDOM_CHARACTERS)) {
      if (byte < FAIR_BYTES && characters.length < RANDOM_CHARACTERS)
        characters += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return characters;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let characters = '';
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    characters = ALPHABET.charAt(rest % ALPHABET.length) + characters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return characters;
}
