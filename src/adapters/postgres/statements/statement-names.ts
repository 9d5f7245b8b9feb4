// Names for prepared statements: a repeated statement is parsed once per connection, and its columns are described once.
// Kysely compiles the same text for the same query.
//
// `select *` gets no name: a migration that adds a column while servers run would make the prepared statement fail. The
// number of names is bounded: texts with value lists of many lengths would fill the memory of every connection.

const MAX_NAMES = 100;
const MAX_TEXT_LENGTH = 8000;

export type StatementNames = { nameOf(text: string): string | undefined };

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= MAX_NAMES || text.length > MAX_TEXT_LENGTH || text.includes('*'))
        return undefined;
      const name = `spillway_${names.size}`;
      names.set(text, name);
      return name;
    },
  };
}
