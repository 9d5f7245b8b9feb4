import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openAssets } from './asset-folder.ts';

function build(folder: string, text: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), text);
  writeFileSync(join(folder, 'assets', 'index-1.js'), text);
  writeFileSync(join(folder, 'assets', 'index-1.js.gz'), 'gzip');
  writeFileSync(join(folder, '.sources'), 'digest');
}

test('a missing build has no asset, and a later build is found', (context) => {
  const folder = join(tempFolder(context), 'web');
  const find = openAssets(folder);
  assert.equal(find('index.html'), undefined);
  build(folder, 'first');
  assert.equal(find('index.html')?.bytes.identity.toString(), 'first');
});

test('an asset has its type, its compressed copy and a tag of its bytes', (context) => {
  const folder = tempFolder(context);
  build(folder, 'first');
  const asset = openAssets(folder)('assets/index-1.js');
  assert.equal(asset?.contentType, 'text/javascript; charset=utf-8');
  assert.equal(asset?.bytes.gzip?.toString(), 'gzip');
  assert.equal(asset?.bytes.br, undefined);
  assert.match(asset?.etag ?? '', /^"[\w-]{22}"$/);
});

test('a build during the run does not mix with the pages that were read', (context) => {
  const folder = tempFolder(context);
  build(folder, 'first');
  const find = openAssets(folder);
  find('index.html');
  build(folder, 'second');
  assert.equal(find('assets/index-1.js')?.bytes.identity.toString(), 'first');
});

test('files of the build that are no pages are not served', (context) => {
  const folder = tempFolder(context);
  build(folder, 'first');
  const find = openAssets(folder);
  for (const path of [
    '.sources',
    'assets/index-1.js.gz',
    '../package.json',
    'assets/../index.html',
  ])
    assert.equal(find(path), undefined, path);
});
