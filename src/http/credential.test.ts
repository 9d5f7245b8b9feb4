import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Keyring } from '../admission/keyring.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { findPrincipal, readCredential, readCredentials } from './credential.ts';

/** A keyring that knows one key; the principal is that key, for the comparison alone. */
function keyringOf(known: string): Pick<Keyring, 'find'> {
  return {
    find: (credential) =>
      credential === known
        ? Promise.resolve({ keyId: known } as Awaited<ReturnType<Keyring['find']>>)
        : Promise.reject(new SpillwayError('UNAUTHORIZED', `unknown ${credential}`)),
  };
}

test('the candidates are read in a fixed order, without repeats', () => {
  const headers = { authorization: 'Bearer a', 'x-api-key': 'b', 'api-key': 'a' };
  assert.deepEqual(readCredentials(headers, 'q'), ['a', 'b', 'q']);
  assert.equal(readCredential(headers, 'q'), 'a');
  assert.equal(readCredential({ 'api-key': 'azure' }), 'azure');
  assert.equal(readCredential({}, 'q'), 'q');
});

test('a valid x-api-key is used beside an invalid bearer token', async () => {
  const headers = { authorization: 'Bearer wrong', 'x-api-key': 'right' };
  assert.equal((await findPrincipal(keyringOf('right'), headers)).keyId, 'right');
});

test('a valid first candidate is not replaced by a later one', async () => {
  const headers = { authorization: 'Bearer right', 'x-api-key': 'other' };
  assert.equal((await findPrincipal(keyringOf('right'), headers)).keyId, 'right');
});

test('without a valid candidate the failure is that of the first', async () => {
  const headers = { authorization: 'Bearer one', 'x-api-key': 'two' };
  await assert.rejects(findPrincipal(keyringOf('right'), headers), /unknown one/);
});

test('an unavailable store is reported and not hidden by a later candidate', async () => {
  const keyring: Pick<Keyring, 'find'> = {
    find: () => Promise.reject(new SpillwayError('CAPACITY_EXHAUSTED', 'store unavailable')),
  };
  const headers = { authorization: 'Bearer one', 'x-api-key': 'two' };
  await assert.rejects(findPrincipal(keyring, headers), { code: 'CAPACITY_EXHAUSTED' });
});
