// The examples of the public interface: the code blocks of the documents for programs, and the `@example` blocks in the
// comments of exported names. Each is a whole program that imports what it uses.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencedBlocks } from '../docs/fenced-blocks.ts';
import type { ExportedName } from './exported-names.ts';
import { ROOT } from './package-entries.ts';

export const DOCUMENTS = ['docs/library.md', 'docs/frontend-guide.md'];

export type Example = {
  /** Where a reader finds it. */
  readonly origin: string;
  readonly code: string;
  readonly language: 'ts' | 'tsx';
};

export function documentExamples(): readonly Example[] {
  return DOCUMENTS.flatMap((page) =>
    fencedBlocks(readFileSync(join(ROOT, page), 'utf8')).flatMap(
      ({ language, line, text, notRun }): readonly Example[] =>
        (language === 'ts' || language === 'tsx') && notRun === undefined
          ? [{ origin: `${page}:${line}`, code: text, language }]
          : [],
    ),
  );
}

/** A name that several entries export has one comment. */
export function commentExamples(names: readonly ExportedName[]): readonly Example[] {
  const examples = names.flatMap(({ name, specifier, examples }) =>
    examples.map((code) => ({ origin: `comment of ${name} (${specifier})`, code })),
  );
  const distinct = new Map(examples.map((example) => [example.code, example]));
  return [...distinct.values()].map((example) => ({
    ...example,
    language: example.code.includes('/>') ? 'tsx' : 'ts',
  }));
}

const IMPORT = /import (?:(\w+)(?:, )?)?(type )?(?:\{([^}]*)\} )?from '(spillway[^']*)'/g;

/** The names that an example imports from the package, as `specifier name`. */
export function importedNames({ code }: Example): readonly string[] {
  return [...code.matchAll(IMPORT)].flatMap(([, standard, , list = '', specifier]) => [
    ...(standard === undefined || standard === 'type' ? [] : [`${specifier} default`]),
    ...list
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as \w+$/, ''),
      )
      .filter((name) => name !== '')
      .map((name) => `${specifier} ${name}`),
  ]);
}
