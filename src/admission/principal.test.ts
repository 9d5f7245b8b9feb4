import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newOrganization } from './organization.ts';
import { isExpired, toPrincipal } from './principal.ts';

const organization = newOrganization({ id: 'acme', locale: 'de' }, 1);
const key = {
  id: 'key_1',
  organizationId: 'acme',
  name: 'k',
  hash: 'h',
  prefix: 'p',
  scopes: ['call'],
  diagnostics: false,
  createdAt: 1,
} as const;

describe('the principal of a key', () => {
  it('combines the key with its organisation', () => {
    const principal = toPrincipal({ key: { ...key, models: ['m'] }, organization });
    assert.equal(principal?.organizationId, 'acme');
    assert.equal(principal?.locale, 'de');
    assert.equal(principal?.requestsPerMinute, 100);
    assert.deepEqual(principal?.scopes, new Set(['call']));
    assert.deepEqual(principal?.models, new Set(['m']));
    assert.equal(toPrincipal({ key, organization })?.models, undefined);
  });

  it('does not exist for a revoked key, and is expired from its expiry timestamp on', () => {
    assert.equal(toPrincipal({ key: { ...key, revokedAt: 5 }, organization }), undefined);
    const principal = toPrincipal({ key: { ...key, expiresAt: 100 }, organization });
    assert.ok(principal);
    assert.equal(isExpired(principal, 99), false);
    assert.equal(isExpired(principal, 100), true);
  });
});
