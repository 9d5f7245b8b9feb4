import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { displayPrefix, hashApiKey, hasValidChecksum, makeApiKey } from './api-key.ts';

describe('an API key', () => {
  it('has at least 190 bits and a valid checksum', () => {
    const key = makeApiKey();
    assert.match(key, /^sk-spill-[0-9A-Za-z]{38}$/);
    assert.equal(hasValidChecksum(key), true);
    assert.notEqual(makeApiKey(), key);
  });

  it('is invalid with any one character changed', () => {
    const key = makeApiKey();
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom('a', 'Z', '0', '-', 'ü'), (at, other) => {
        const changed = key.slice(0, at) + other + key.slice(at + 1);
        return changed === key || !hasValidChecksum(changed);
      }),
    );
  });

  it('is distinguished from arbitrary text without throwing', () => {
    fc.assert(fc.property(fc.string(), (text) => !hasValidChecksum(text)));
  });

  it('draws every character with the same probability by discarding bytes above the largest multiple of 62', () => {
    let calls = 0;
    const key = makeApiKey((size) => {
      calls += 1;
      return new Uint8Array(size).fill(calls === 1 ? 255 : 61);
    });
    assert.equal(key.slice(9, 41), 'z'.repeat(32));
  });

  it('has a hash that depends on the hash key, and a display prefix', () => {
    const key = makeApiKey();
    assert.equal(hashApiKey(key, 'one'), hashApiKey(key, 'one'));
    assert.notEqual(hashApiKey(key, 'one'), hashApiKey(key, 'two'));
    assert.equal(displayPrefix(key), key.slice(0, 13));
  });
});
