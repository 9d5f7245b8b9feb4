// Bundles the page at the start, in memory. `spillway/client` and `spillway/react` are this repository's sources; in a product
// they come from the package.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

export async function bundlePage(folder: string, sources: string): Promise<PageFiles> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'app.tsx'), join(folder, 'style.css')],
    bundle: true,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    write: false,
    outdir: folder,
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      'spillway/client': join(sources, 'client/index.ts'),
      'spillway/react': join(sources, 'react/index.ts'),
    },
  });
  const files = outputFiles.map(({ path, text }) => {
    const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
    return [`/${basename(path)}`, { type, text }] as const;
  });
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  return new Map([...files, ['/', { type: 'text/html', text: html }]]);
}
