// The package as examples import it: its sources, with each exported value behind a proxy that records its use. A function
// counts as used when it is called, a class when it is constructed or compared with `instanceof`, an object when it is read.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExportedName } from './exported-names.ts';
import { packageEntries } from './package-entries.ts';

const RECORDER = `
export const used = new Set();

export function recorded(name, value) {
  const isFunction = typeof value === 'function';
  const record = () => void used.add(name);
  return new Proxy(value, {
    apply: (target, self, args) => (record(), Reflect.apply(target, self, args)),
    construct: (target, args) => (record(), Reflect.construct(target, args)),
    get(target, key) {
      if (!isFunction || key === Symbol.hasInstance) record();
      return Reflect.get(target, key);
    },
    ownKeys: (target) => (record(), Reflect.ownKeys(target)),
    has: (target, key) => (record(), Reflect.has(target, key)),
  });
}
`;

/** Writes the package to a folder of node_modules. */
export function writeRecordingEntries(folder: string, names: readonly ExportedName[]): void {
  writeFileSync(join(folder, 'recorder.js'), RECORDER);
  const exports = packageEntries().map(({ specifier, source }, index) => {
    const values = names.filter((name) => name.isValue && name.specifier === specifier);
    const lines = values.map(({ name }) => {
      const wrapped = `recorded('${specifier} ${name}', entry.${name})`;
      return name === 'default'
        ? `export default ${wrapped};`
        : `export const ${name} = ${wrapped};`;
    });
    const imports = [
      `import { recorded } from './recorder.js';`,
      `import * as entry from '${pathToFileURL(source).href}';`,
    ];
    writeFileSync(join(folder, `${index}.js`), [...imports, ...lines].join('\n'));
    return [specifier.replace('spillway', '.'), `./${index}.js`];
  });
  const manifest = { name: 'spillway', type: 'module', exports: Object.fromEntries(exports) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}
