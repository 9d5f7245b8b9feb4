// The credentials of a peer's file become names of environment variables. A secret that the file spells out is never
// copied: neither into spillway.yaml nor into the report; the operator sets the variable.

export type Credential = { readonly variable: string } | 'none';

/** Empty for an account without a key. */
export function variableOf(credential: Credential): string {
  return credential === 'none' ? '' : credential.variable;
}

export type ImportedVariable = {
  readonly name: string;
  /** The path in the peer's file, for the operator. */
  readonly path: string;
  /** `reference`: the peer's file names this variable. `literal`: the file holds the secret. `vault`: the peer does. */
  readonly source: 'reference' | 'literal' | 'vault';
};

/** The name in a reference to a variable, such as `os.environ/NAME` or `env.NAME`; undefined for any other text. */
export type ReadReference = (text: string) => string | undefined;

export class Credentials {
  readonly #readReference: ReadReference;
  readonly #variables = new Map<string, ImportedVariable>();
  /** Secret or vault entry → variable: the same key twice is one account. */
  readonly #bySecret = new Map<string, string>();
  readonly #referenced: ReadonlySet<string>;

  /** `texts` are all texts of the file: a name that it refers to anywhere is no name for a secret of the file. */
  constructor(readReference: ReadReference, texts: readonly string[]) {
    this.#readReference = readReference;
    this.#referenced = new Set(texts.flatMap((text) => readReference(text) ?? []));
  }

  /** `suggested` names the variable of a secret that the file spells out. */
  fromText(path: string, text: string, suggested: string): ImportedVariable {
    const reference = this.#readReference(text);
    if (reference === undefined) return this.#assign(`literal ${text}`, path, suggested, 'literal');
    const isName = /^[A-Za-z_]\w*$/.test(reference);
    const name = isName ? reference : toVariableName(reference);
    return this.#add({ name, path, source: 'reference' });
  }

  /** A key that the peer stores itself, under `slug`. */
  fromVault(path: string, slug: string): ImportedVariable {
    return this.#assign(`vault ${slug}`, path, `${slug}_API_KEY`, 'vault');
  }

  list(): readonly ImportedVariable[] {
    return [...this.#variables.values()];
  }

  #assign(
    secret: string,
    path: string,
    suggested: string,
    source: ImportedVariable['source'],
  ): ImportedVariable {
    const known = this.#variables.get(this.#bySecret.get(secret) ?? '');
    if (known) return known;
    const base = toVariableName(suggested);
    let name = base;
    const isTaken = (): boolean => this.#variables.has(name) || this.#referenced.has(name);
    for (let count = 2; isTaken(); count += 1) name = `${base}_${count}`;
    this.#bySecret.set(secret, name);
    return this.#add({ name, path, source });
  }

  #add(variable: ImportedVariable): ImportedVariable {
    const known = this.#variables.get(variable.name);
    if (known) return known;
    this.#variables.set(variable.name, variable);
    return variable;
  }
}

function toVariableName(text: string): string {
  const name = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Z_]/.test(name) ? name : `KEY_${name}`;
}
