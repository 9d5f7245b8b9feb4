// Every block of README.md and the documents works as written, or says why it is not run: commands and scripts are run
// against a server, data is checked.

import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { CHECKS, whyNoPython } from './checked-blocks.ts';
import { type CommandRunner, openCommandRunner } from './command-runner.ts';
import {
  type FencedBlock,
  fencedBlocks,
  splitCommands,
  unmarkedCommands,
} from './fenced-blocks.ts';

const root = resolve(import.meta.dirname, '../../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];

/** Their scripts run in test/e2e/exports, all in one process. */
const LIBRARY_PAGES = ['docs/library.md', 'docs/frontend-guide.md'];

const RUN: Readonly<Record<string, (runner: CommandRunner, text: string) => Promise<unknown>>> = {
  sh: async (runner, text) => {
    for (const command of splitCommands(text)) await runner.run(command);
  },
  ts: (runner, text) => runner.runScript(text, 'ts'),
  js: (runner, text) => runner.runScript(text, 'js'),
  tsx: (runner, text) => runner.runScript(text, 'tsx'),
};

for (const page of PAGES) {
  const document = readFileSync(join(root, page), 'utf8');
  const blocks = fencedBlocks(document);

  test(`every block of ${page} is marked with a language that is run or checked`, () => {
    assert.deepEqual(unmarkedCommands(document), []);
    const others = blocks.filter(
      ({ language }) => language !== '' && !RUN[language] && !CHECKS.has(language),
    );
    assert.deepEqual(others, []);
  });

  for (const block of blocks.filter(({ language }) => CHECKS.has(language)))
    test(`the ${block.language} at line ${block.line} of ${page} is valid`, (t) => {
      const missing = block.language === 'python' ? whyNoPython() : undefined;
      if (missing !== undefined) return t.skip(missing);
      CHECKS.get(block.language)?.(block);
    });

  const isElsewhere = (language: string) =>
    LIBRARY_PAGES.includes(page) && (language === 'ts' || language === 'tsx');
  const runnable = blocks.filter(
    ({ language, notRun }) => RUN[language] && notRun === undefined && !isElsewhere(language),
  );
  if (runnable.length > 0)
    test(`the commands and scripts of ${page} work as written`, async (t) => {
      const runner = await openCommandRunner();
      t.after(async () => {
        await runner.close();
        rmSync(runner.folder, { recursive: true, force: true });
      });
      for (const block of runnable) await runBlock(runner, page, block);
    });
}

async function runBlock(runner: CommandRunner, page: string, block: FencedBlock): Promise<void> {
  try {
    await RUN[block.language]?.(runner, block.text);
  } catch (cause) {
    throw new Error(`${page}, block at line ${block.line}`, { cause });
  }
}
