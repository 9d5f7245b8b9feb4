// A reader's project with every example as a file: the compiler checks it, and one process runs all of it. Pages talk to their
// own origin, for which a gateway on the simulator stands in, and which adds the key.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asRenderingScript, installPackages } from '../docs/script-folder.ts';
import type { Example } from './examples.ts';
import type { ExportedName } from './exported-names.ts';
import { packageEntries, ROOT } from './package-entries.ts';
import { writeRecordingEntries } from './recording-entries.ts';

const MODULES = join('node_modules', 'spillway');

export function createFolder(folder: string): void {
  installPackages(folder, ROOT);
  const paths = packageEntries().map(({ specifier, source }) => [specifier, [source]]);
  const compilerOptions = {
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
    strict: true,
    noUnusedLocals: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    paths: Object.fromEntries(paths),
  };
  const entries = packageEntries().map(({ source }) => source);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: entries, include: ['example-*'] }),
  );
}

/** `replacements`: texts of all examples and the texts that replace them. Returns the files, in the order of the examples. */
export async function writeExamples(
  folder: string,
  examples: readonly Example[],
  replacements: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  mkdirSync(join(folder, 'run'));
  for (const [index, example] of examples.entries()) {
    const own = Object.entries(replacements).reduce(
      (code, [text, other]) => code.replaceAll(`'${text}'`, `'${other}'`),
      example.code,
    );
    // A file without an import is a module only with this line.
    const code = `${own}\nexport {};\n`;
    writeFileSync(join(folder, `example-${index}.${example.language}`), code);
    const isComponent = example.language === 'tsx';
    const program = isComponent ? await asRenderingScript(own) : code;
    writeFileSync(join(folder, 'run', `${index}.${isComponent ? 'js' : 'ts'}`), program);
  }
  return examples.map(({ language }, index) => `example-${index}.${language}`);
}

export type RunOutcome = {
  /** The reason why each example failed; null for an example that ran to its end. */
  readonly failures: readonly (string | null)[];
  /** The exported values that were used, as `specifier name`. */
  readonly used: readonly string[];
};

export async function runExamples(
  folder: string,
  examples: readonly Example[],
  names: readonly ExportedName[],
  env: Readonly<Record<string, string>>,
): Promise<RunOutcome> {
  writeRecordingEntries(join(folder, MODULES), names);
  const files = examples.map(
    ({ language }, index) => `./run/${index}.${language === 'tsx' ? 'js' : 'ts'}`,
  );
  writeFileSync(join(folder, 'run-all.js'), runnerOf(files));
  const child = spawn(process.execPath, ['run-all.js'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_RUN_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  // An example that leaves a connection or a timer open keeps the process from its end.
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the examples ended with ${code}: ${output}`);
  return JSON.parse(readFileSync(join(folder, 'outcome.json'), 'utf8')) as RunOutcome;
}

const MAX_RUN_MS = 120_000;

function runnerOf(files: readonly string[]): string {
  const library = pathToFileURL(join(ROOT, 'src/library/index.ts')).href;
  return `
import { writeFileSync } from 'node:fs';
import { createGateway } from '${library}';
import { used } from './${MODULES}/recorder.js';

const gateway = await createGateway({
  settings: { storage: { dataDir: 'origin' }, server: { port: 0 } },
  log: 'silent',
});
const url = await gateway.listen();
const { fetch } = globalThis;
globalThis.fetch = (input, init = {}) => {
  const path = String(input).replace(/^http:\\/\\/127\\.0\\.0\\.1:8787/, '');
  if (!path.startsWith('/')) return fetch(input, init);
  const headers = new Headers(init.headers);
  headers.set('authorization', 'Bearer ' + gateway.apiKey);
  return fetch(new URL(path, url), { ...init, headers });
};
const failures = [];
for (const file of ${JSON.stringify(files)}) {
  failures.push(await import(file).then(() => null, (error) => String(error?.stack ?? error)));
}
await gateway.close();
writeFileSync('outcome.json', JSON.stringify({ failures, used: [...used] }));
`;
}
