// Checks the version of Node. Needs no configuration.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Finding, failed, ok } from './check.ts';

const MIN_MAJOR = 24;
const PACKAGE = new URL('../../../package.json', import.meta.url);
const pinned = z.object({ devDependencies: z.object({ node: z.string() }) });

export function checkRuntime(version: string = process.versions.node): Finding {
  const name = 'runtime';
  if (Number.parseInt(version, 10) < MIN_MAJOR)
    return {
      name,
      ...failed(
        `This is Node ${version}, which is too old.`,
        `Install Node ${MIN_MAJOR} or newer, or start Spillway with its npm scripts, which install Node.`,
      ),
    };
  const tested = testedVersion();
  const remark = tested === undefined || tested === version ? '' : `; it is tested with ${tested}`;
  return { name, ...ok(`Node ${version} is new enough${remark}.`) };
}

function testedVersion(): string | undefined {
  try {
    return pinned.parse(JSON.parse(readFileSync(PACKAGE, 'utf8'))).devDependencies.node;
  } catch {
    return undefined;
  }
}
