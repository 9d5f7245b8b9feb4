// The compiler's view of a folder with examples: the exported names of every entry with their comments, and the mistakes that
// it finds in the examples. One program for all of it, opened once.

import { join } from 'node:path';
import { API, SymbolFlags } from 'typescript/unstable/sync';
import { packageEntries } from './package-entries.ts';

export type ExportedName = {
  readonly specifier: string;
  readonly name: string;
  /** It exists when a program runs; a type does not. */
  readonly isValue: boolean;
  readonly comment: string;
  readonly examples: readonly string[];
};

export function exportedNames(folder: string): readonly ExportedName[] {
  return withProgram(folder, ({ program, checker }) =>
    packageEntries().flatMap(({ specifier, source }) => {
      const file = program.getSourceFile(source);
      const module = file && checker.getSymbolAtLocation(file);
      if (!module) throw new Error(`the compiler does not know ${source}`);
      return checker.getExportsOfModule(module).map((exported) => {
        const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
        const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
        return {
          specifier,
          name: exported.name,
          isValue: (symbol.flags & SymbolFlags.Value) !== 0,
          comment: symbol.getDocumentationComment(checker),
          examples: symbol
            .getJsDocTags(checker)
            .filter(({ name }) => name === 'example')
            .map(({ text = '' }) => text),
        };
      });
    }),
  );
}

/** One line for each mistake: the file's name and the compiler's message. */
export function mistakesIn(folder: string, files: readonly string[]): readonly string[] {
  return withProgram(folder, ({ program }) =>
    files.flatMap((name) => {
      const path = join(folder, name);
      const found = [
        ...program.getSyntacticDiagnostics(path),
        ...program.getSemanticDiagnostics(path),
      ];
      return found.map(({ text }) => `${name}: ${text}`);
    }),
  );
}

type OpenProject = ReturnType<ReturnType<API['updateSnapshot']>['getProjects']>[number];

function withProgram<T>(folder: string, read: (project: OpenProject) => T): T {
  const api = new API({ cwd: folder });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new Error('the compiler opened no project');
    return read(project);
  } finally {
    api.close();
  }
}
