// Sortable identifiers: a three-letter kind and a UUIDv7 without dashes, e.g. `req_01a1de45426770a5a90a94f0f69323fc`.
// They sort by creation time, need no coordination between servers and show what they identify.
//
// The UUID is composed here because every request has one: the text comes out of one buffer as a flat string, whereas
// removing the dashes from `randomUUIDv7()` joins five slices that the first lookup has to copy again.

import { randomFillSync } from 'node:crypto';
import { systemClock } from './clock.ts';

export type IdKind = 'req' | 'job' | 'key' | 'msg' | 'evt' | 'att' | 'inc' | 'aud' | 'alt' | 'run';

export type NewId = (kind: IdKind) => string;

const KIND_CHARACTERS = 4;
const TIME_BYTES = 6;
const UUID_BYTES = 16;
const RANDOM_BYTES = UUID_BYTES - TIME_BYTES;
const POOL_IDS = 512;
const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/** Random bytes for the next ids; each byte is used once. */
const pool = Buffer.allocUnsafeSlow(POOL_IDS * RANDOM_BYTES);
const text = Buffer.allocUnsafeSlow(KIND_CHARACTERS + 2 * UUID_BYTES);
let poolAt = pool.length;

export const newId: NewId = (kind) => {
  for (let at = 0; at < kind.length; at += 1) text[at] = kind.charCodeAt(at);
  text[KIND_CHARACTERS - 1] = UNDERSCORE;
  writeTime(systemClock.now());
  writeRandom();
  return text.toString('latin1');
};

/** 48 bits, most significant first: ids sort by them. */
function writeTime(nowMs: number): void {
  const high = Math.floor(nowMs / 2 ** 32);
  writeByte(0, high >>> 8);
  writeByte(1, high);
  writeByte(2, nowMs >>> 24);
  writeByte(3, nowMs >>> 16);
  writeByte(4, nowMs >>> 8);
  writeByte(5, nowMs);
}

/** RFC 9562: the version replaces four random bits, the variant two. */
function writeRandom(): void {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  for (let at = TIME_BYTES; at < UUID_BYTES; at += 1) {
    const random = pool[poolAt++] ?? 0;
    if (at === VERSION_BYTE) writeByte(at, (random & 0x0f) | 0x70);
    else if (at === VARIANT_BYTE) writeByte(at, (random & 0x3f) | 0x80);
    else writeByte(at, random);
  }
}

function writeByte(index: number, byte: number): void {
  const at = KIND_CHARACTERS + 2 * index;
  text[at] = HEX_DIGITS[(byte >>> 4) & 0x0f] ?? 0;
  text[at + 1] = HEX_DIGITS[byte & 0x0f] ?? 0;
}

const UNDERSCORE = 0x5f;
const VERSION_BYTE = 6;
const VARIANT_BYTE = 8;
