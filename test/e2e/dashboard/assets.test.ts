// The pages over HTTP: headers, caching and encodings. Without a build the first page says how to make one.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const ensure = resolve(import.meta.dirname, '../../../scripts/ensure-dashboard.mjs');

let gateway: TestGateway;
before(async () => {
  spawnSync(process.execPath, [ensure], { stdio: 'inherit' });
  gateway = await startTestGateway();
});
after(() => gateway.close());

async function assetPath(): Promise<string> {
  const html = await (await fetch(gateway.url)).text();
  return /\/assets\/[\w-]+\.js/.exec(html)?.[0] ?? '';
}

test('the page is checked again by every visit and has a strict policy', async () => {
  const page = await fetch(gateway.url);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  const again = await fetch(gateway.url, {
    headers: { 'if-none-match': page.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
});

test('an asset is immutable and compressed as the browser accepts it', async () => {
  const path = await assetPath();
  for (const [accepted, encoding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const asset = await fetch(gateway.url + path, { headers: { 'accept-encoding': accepted } });
    assert.equal(asset.headers.get('content-encoding'), encoding);
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(asset.headers.get('vary'), 'accept-encoding');
    assert.match(await asset.text(), /import|function/);
  }
});

test('a path outside of the build is not found', async () => {
  for (const path of ['/assets/nothing.js', '/assets/..%2F..%2Fpackage.json', '/assets/.sources'])
    assert.equal((await fetch(gateway.url + path)).status, 404, path);
});
