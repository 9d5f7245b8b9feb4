// A folder in which the TypeScript and JavaScript of a document runs as in a reader's project: the packages of this
// repository are installed, and `spillway` among them from the sources, so that no build is needed.

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export function installPackages(folder: string, repository: string): void {
  const [installed, modules] = [join(repository, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(modules);
  for (const name of readdirSync(installed))
    if (name !== 'spillway') symlinkSync(join(installed, name), join(modules, name));
  const own = join(modules, 'spillway');
  mkdirSync(own);
  const manifest = { name: 'spillway', type: 'module', exports: { './errors': './errors.js' } };
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest));
  const errors = pathToFileURL(join(repository, 'src/errors/index.ts')).href;
  writeFileSync(join(own, 'errors.js'), `export * from '${errors}';\n`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** A relative import in a document is relative to a test of this repository. */
export function withAbsoluteImports(script: string, repository: string): string {
  return script.replaceAll(/(from ')(?:\.\.\/)+src\//g, `$1${pathToFileURL(repository).href}/src/`);
}
