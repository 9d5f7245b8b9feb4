import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openDataFolder } from './data-folder.ts';

test('a text is created once, readable by its owner alone', (context) => {
  const path = join(tempFolder(context), 'data');
  const folder = openDataFolder(path);
  assert.equal(folder.read('admin-key'), undefined);
  assert.equal(existsSync(path), false);
  assert.equal(
    folder.getOrCreate('admin-key', () => 'first'),
    'first',
  );
  assert.equal(
    openDataFolder(path).getOrCreate('admin-key', () => 'second'),
    'first',
  );
  assert.equal(folder.read('admin-key'), 'first');
  assert.deepEqual(readdirSync(path), ['admin-key']);
  if (process.platform === 'win32') return;
  assert.equal(statSync(join(path, 'admin-key')).mode & 0o777, 0o600);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test('a value that another process writes first is returned', (context) => {
  const path = tempFolder(context);
  const kept = openDataFolder(path).getOrCreate('server-id', () => {
    openDataFolder(path).getOrCreate('server-id', () => 'theirs');
    return 'ours';
  });
  assert.equal(kept, 'theirs');
  assert.deepEqual(readdirSync(path), ['server-id']);
});

test('processes that start together read one value', async (context) => {
  const path = join(tempFolder(context), 'data');
  const program = `import { openDataFolder } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)};
process.stdout.write(openDataFolder(process.argv.at(-1)).getOrCreate('api-key', () => 'key-of-' + process.pid));`;
  const values = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return output;
    }),
  );
  assert.match(values[0] ?? '', /^key-of-\d+$/);
  assert.equal(new Set(values).size, 1);
  assert.deepEqual(readdirSync(path), ['api-key']);
});

test('the address of a running server is written and removed', (context) => {
  const path = tempFolder(context);
  const folder = openDataFolder(path);
  assert.equal(folder.runningServer(), undefined);
  folder.announce({ url: 'http://127.0.0.1:8787', pid: 42 });
  assert.deepEqual(openDataFolder(path).runningServer(), { url: 'http://127.0.0.1:8787', pid: 42 });
  if (process.platform !== 'win32')
    assert.equal(statSync(join(path, 'server.json')).mode & 0o777, 0o600);
  folder.withdraw();
  folder.withdraw();
  assert.equal(folder.runningServer(), undefined);
});

test('a server file that is torn or malformed is ignored', (context) => {
  const path = tempFolder(context);
  for (const content of ['', '{"url":', 'null', '[]', '{"url":1,"pid":2}', '{"url":"x"}']) {
    writeFileSync(join(path, 'server.json'), content);
    assert.equal(openDataFolder(path).runningServer(), undefined, content);
  }
});
