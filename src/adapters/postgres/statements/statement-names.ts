// Names under which the server keeps statements prepared: a statement that comes again is not read again, neither
// its text by the server nor its columns by us. Kysely compiles the same text for the same query.
//
// Not for `select *`: a migration that adds a column beside a running server would make each such statement fail.
// And not for ever more texts: those with lists of many lengths would fill the memory of every connection.

const MAX_NAMES = 100;
const MAX_TEXT = 8000;

export type StatementNames = { nameOf(text: string): string | undefined };

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= MAX_NAMES || text.length > MAX_TEXT || text.includes('*')) return undefined;
      const name = `spillway_${names.size}`;
      names.set(text, name);
      return name;
    },
  };
}
