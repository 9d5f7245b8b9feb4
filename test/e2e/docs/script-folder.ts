// A folder in which the TypeScript and JavaScript of a document runs as in a reader's project: the packages of this
// repository are installed, and `spillway` among them from the sources, so that no build is needed.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

export function installPackages(folder: string, repository: string): void {
  const [installed, modules] = [join(repository, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(modules);
  for (const name of readdirSync(installed))
    if (name !== 'spillway') symlinkSync(join(installed, name), join(modules, name));
  installOwn(join(modules, 'spillway'), repository);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** Each entry of the package exports the source file that its file in dist/ is built from. */
function installOwn(folder: string, repository: string): void {
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  mkdirSync(folder);
  const entries = Object.entries(manifest.exports).flatMap(([entry, target], index) => {
    if (typeof target === 'string') return [];
    const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
    const url = pathToFileURL(join(repository, source)).href;
    const isDefault = /export default/.test(readFileSync(join(repository, source), 'utf8'));
    const lines = [`export * from '${url}';`, isDefault ? `export { default } from '${url}';` : ''];
    writeFileSync(join(folder, `${index}.js`), lines.join('\n'));
    return [[entry, `./${index}.js`]];
  });
  const exports = Object.fromEntries(entries);
  const own = { name: 'spillway', type: 'module', exports };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
}

/** A relative import in a document is relative to a test of this repository. */
export function withAbsoluteImports(script: string, repository: string): string {
  return script.replaceAll(/(from ')(?:\.\.\/)+src\//g, `$1${pathToFileURL(repository).href}/src/`);
}

/**
 * Code of a page talks to the page's own origin. `fetch` stands in for the origin and for the application's server behind it,
 * which adds the key.
 */
export function writePageOrigin(folder: string, url: string, key: string): void {
  const code = `const { fetch: original } = globalThis;
globalThis.fetch = (path, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', 'Bearer ${key}');
  return original(new URL(path, '${url}'), { ...init, headers });
};
`;
  writeFileSync(join(folder, 'page-origin.js'), code);
}

export function onPageOrigin(script: string): string {
  const isPageCode = /from 'spillway\/(?:client|react)'/.test(script);
  return isPageCode ? `import './page-origin.js';\n${script}` : script;
}

/** A component, which the block exports by default, as a script that renders it. */
export async function asRenderingScript(block: string): Promise<string> {
  const { code } = await transform(block, { loader: 'tsx', jsx: 'automatic', format: 'esm' });
  const name = /export default function (\w+)/.exec(block)?.[1];
  if (name === undefined) throw new Error('a block of tsx needs `export default function`');
  return `import { createElement as element } from 'react';
import { renderToString } from 'react-dom/server';
${code}
console.log(renderToString(element(${name})));
`;
}
