// Every command in README.md and docs/*.md works as written, or its block says why it is not run.

import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { openCommandRunner } from './command-runner.ts';
import { shellBlocks, unmarkedCommands } from './shell-blocks.ts';

const root = resolve(import.meta.dirname, '../../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: root }),
];

for (const page of PAGES) {
  const document = readFileSync(join(root, page), 'utf8');
  const runnable = shellBlocks(document).filter(({ notRun }) => notRun === undefined);

  test(`every block of commands in ${page} is marked sh`, () => {
    assert.deepEqual(unmarkedCommands(document), []);
  });

  if (runnable.length > 0)
    test(`the commands of ${page} work as written`, async (t) => {
      const runner = await openCommandRunner();
      t.after(async () => {
        await runner.close();
        rmSync(runner.folder, { recursive: true, force: true });
      });
      for (const { line, commands } of runnable)
        for (const command of commands)
          await runner.run(command).catch((cause: unknown) => {
            throw new Error(`${page}, block at line ${line}`, { cause });
          });
    });
}
