// Checks of blocks that are data: JSON parses, and YAML is a valid configuration of Spillway unless its block says that it
// is not run. Python is compiled, not run: its client libraries are not dependencies of this repository, and `npm run
// clients` runs them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { FencedBlock } from './fenced-blocks.ts';

type Check = (block: FencedBlock) => void;

export const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['json', ({ text }) => void JSON.parse(text)],
  ['yaml', checkYaml],
  ['python', ({ text }) => compilePython(text)],
]);

/** Undefined where Python blocks can be compiled. */
export function whyNoPython(): string | undefined {
  return spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed';
}

function checkYaml({ text, notRun }: FencedBlock): void {
  parse(text);
  if (notRun === undefined) loadAsConfig(text);
}

/** The variables with provider keys that the file names are set. */
function loadAsConfig(text: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-docs-'));
  try {
    writeFileSync(join(folder, 'spillway.yaml'), text);
    const variables = [...text.matchAll(/\bapiKeyVariable: (\w+)/g)].map(([, name]) => name);
    const env = Object.fromEntries(variables.map((name) => [name, 'a-key-of-the-reader']));
    loadConfig({ env: { ...env, SPILLWAY_DATA_DIR: folder }, cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compilePython(text: string): void {
  const program = 'import ast, sys; ast.parse(sys.stdin.read())';
  const { status, stderr } = spawnSync('python3', ['-c', program], { input: text });
  if (status !== 0) throw new Error(`not Python: ${stderr.toString()}`);
}
