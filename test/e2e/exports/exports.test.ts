// Every export of every entry, value or type, has a comment, an entry in the documents and an example. The compiler checks the
// examples under strict rules, which includes that every imported name is used, and one process runs them all and records
// which exported values they use.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BrokerConnection } from '../../../src/adapters/rabbitmq/connection/broker-connection.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import { createTestDatabase, type TestDatabase } from '../../support/stores/isolated-postgres.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { createFolder, type RunOutcome, runExamples, writeExamples } from './example-folder.ts';
import {
  commentExamples,
  DOCUMENTS,
  documentExamples,
  type Example,
  importedNames,
} from './examples.ts';
import { type ExportedName, exportedNames, mistakesIn } from './exported-names.ts';
import { ROOT } from './package-entries.ts';

/** The names that examples use on shared servers, and the unique names that replace them. */
const KEY_PREFIX = 'shop:';
const QUEUE = 'spillway_example_mails';
const UNIQUE = uniqueName('exports');

let folder: string;
let database: TestDatabase;
let names: readonly ExportedName[];
let examples: readonly Example[];
let mistakes: readonly string[];
let outcome: RunOutcome;

before(async () => {
  folder = makeTempFolder();
  createFolder(folder);
  names = exportedNames(folder);
  examples = [...documentExamples(), ...commentExamples(names)];
  const files = await writeExamples(folder, examples, {
    [KEY_PREFIX]: `${UNIQUE}:`,
    [QUEUE]: UNIQUE,
  });
  const { redisUrl, rabbitmqUrl } = servicesFromEnv(process.env);
  database = await createTestDatabase('exports', { isMigrated: false });
  const running = runExamples(folder, examples, names, {
    REDIS_URL: redisUrl,
    RABBITMQ_URL: rabbitmqUrl,
    DATABASE_URL: database.url,
  });
  // The compiler blocks this process while the other one runs the examples.
  mistakes = mistakesIn(folder, files);
  outcome = await running;
});

after(async () => {
  await database?.drop();
  await deleteQueue();
  rmSync(folder, { recursive: true, force: true });
});

async function deleteQueue(): Promise<void> {
  const options = { queueType: 'classic', clock: systemClock, log: silentLog } as const;
  const url = servicesFromEnv(process.env).rabbitmqUrl;
  const broker = new BrokerConnection({ ...options, url, purpose: 'inspect' });
  await broker.withChannel((channel) => channel.queueDelete({ queue: UNIQUE }));
  await broker.close();
}

const label = ({ specifier, name }: ExportedName): string => `${specifier} ${name}`;

test('every export has a comment', () => {
  assert.ok(names.length > 100, `${names.length} names`);
  assert.deepEqual(names.filter(({ comment }) => comment === '').map(label), []);
});

test('the documents name every export', () => {
  const text = DOCUMENTS.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  const missing = names.filter(({ name }) => name !== 'default' && !text.includes(`\`${name}\``));
  assert.deepEqual(missing.map(label), []);
});

test('every example passes the compiler under strict rules and uses what it imports', () => {
  const named = mistakes.map((line) =>
    line.replace(/^example-(\d+)\.tsx?/, (_match, index) => examples[Number(index)]?.origin ?? ''),
  );
  assert.deepEqual(named, []);
});

test('every example runs to its end', (t) => {
  t.diagnostic(`${examples.length} examples, ${names.length} exported names`);
  const failed = outcome.failures.flatMap((reason, index) =>
    reason === null ? [] : [`${examples[index]?.origin}: ${reason}`],
  );
  assert.deepEqual(failed, []);
});

test('the examples use every exported value while they run', () => {
  const used = new Set(outcome.used);
  assert.deepEqual(names.filter((name) => name.isValue && !used.has(label(name))).map(label), []);
});

test('an example imports every exported type', () => {
  const imported = new Set(examples.flatMap(importedNames));
  assert.deepEqual(
    names.filter((name) => !name.isValue && !imported.has(label(name))).map(label),
    [],
  );
});
