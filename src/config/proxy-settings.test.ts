import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadFrom } from './load-config.ts';
import { maskConfig } from './mask-config.ts';
import { sourcesFrom } from './sources.ts';

function load(env: Readonly<Record<string, string>>) {
  return loadFrom(sourcesFrom({ env, cwd: '/srv' })).config;
}

test('the lower-case spelling of a proxy variable wins over the upper-case one', () => {
  const { upstream } = load({
    HTTPS_PROXY: 'http://upper:3128',
    https_proxy: 'http://lower:3128',
    HTTP_PROXY: 'http://upper:3128',
    no_proxy: 'corp.test, 10.0.0.0/8  corp.test',
  });
  assert.equal(upstream.httpsProxy, 'http://lower:3128');
  assert.equal(upstream.httpProxy, 'http://upper:3128');
  assert.deepEqual(upstream.noProxy, ['corp.test', '10.0.0.0/8']);
});

test('a proxy without a scheme is an HTTP proxy', () => {
  assert.equal(
    load({ https_proxy: 'proxy.corp:3128' }).upstream.httpsProxy,
    'http://proxy.corp:3128',
  );
});

test('the password of a proxy is masked in output and in error messages', () => {
  const config = load({ HTTPS_PROXY: 'http://ann:p4ssw0rd@proxy.corp:3128' });
  assert.equal(maskConfig(config).upstream.httpsProxy, 'http://ann:****@proxy.corp:3128/');
  for (const value of ['socks5://ann:p4ssw0rd@proxy.corp', 'ann:p4ssw0rd@proxy corp'])
    assert.throws(
      () => load({ HTTPS_PROXY: value }),
      ({ message }: Error) => message.startsWith('HTTPS_PROXY') && !message.includes('p4ssw0rd'),
    );
});

test('a relative caFile is resolved from the working directory', () => {
  assert.equal(load({ UPSTREAM_CA_FILE: 'ca.pem' }).upstream.caFile, '/srv/ca.pem');
});
