import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProxyRule, type ProxySettings } from './proxy-rule.ts';

const SETTINGS: ProxySettings = {
  httpsProxy: 'http://secure.proxy:3128',
  httpProxy: 'http://plain.proxy:3128',
  noProxy: [],
  proxyLoopback: false,
};

function isProxied(origin: string, ...noProxy: readonly string[]): boolean {
  return createProxyRule({ ...SETTINGS, noProxy })(origin) !== undefined;
}

test('the scheme of the origin selects the proxy', () => {
  const rule = createProxyRule(SETTINGS);
  assert.equal(rule('https://api.anthropic.com'), SETTINGS.httpsProxy);
  assert.equal(rule('http://models.corp:8000'), SETTINGS.httpProxy);
  const onlyPlain = createProxyRule({ ...SETTINGS, httpsProxy: undefined });
  assert.equal(onlyPlain('https://api.anthropic.com'), undefined);
});

test('a provider on loopback is reached directly unless proxyLoopback is set', () => {
  const origins = [
    'http://localhost:11434',
    'http://ollama.localhost',
    'http://127.0.0.1:8000',
    'http://127.8.0.1',
    'https://[::1]:8443',
  ];
  for (const origin of origins) {
    assert.equal(isProxied(origin), false, origin);
    assert.ok(createProxyRule({ ...SETTINGS, proxyLoopback: true })(origin), origin);
  }
});

for (const [entry, direct, proxied] of [
  ['corp.test', ['https://corp.test', 'https://a.CORP.test.'], ['https://notcorp.test']],
  ['.corp.test', ['https://corp.test', 'https://a.b.corp.test'], ['https://xcorp.test']],
  ['*.corp.test', ['https://a.corp.test'], ['https://corp.test']],
  ['corp.test:8443', ['https://corp.test:8443'], ['https://corp.test']],
  ['corp.test:443', ['https://corp.test'], ['http://corp.test']],
  ['10.1.2.3', ['http://10.1.2.3:8000'], ['http://10.1.2.4']],
  ['10.0.0.0/8', ['http://10.200.0.1'], ['http://11.0.0.1', 'http://ten.test']],
  ['fd00::/8', ['http://[fd12::1]'], ['http://[2001:db8::1]']],
  ['fd00::1', ['http://[fd00::1]:80'], ['http://[fd00::2]']],
  ['[fd00::1]:8000', ['http://[fd00::1]:8000'], ['http://[fd00::1]']],
  ['*', ['https://api.openai.com', 'http://10.0.0.1'], []],
  ['10.0.0.0/99', [], ['http://10.0.0.1']],
] as const) {
  test(`NO_PROXY entry ${entry} excepts its hosts and no others`, () => {
    for (const origin of direct) assert.equal(isProxied(origin, entry), false, origin);
    for (const origin of proxied) assert.equal(isProxied(origin, entry), true, origin);
  });
}
