// Parses a peer's YAML or JSON file (JSON is read as YAML) into nodes with lines. Every refusal is one sentence without
// content of the file, which may hold secrets. Size, depth and number of values are bounded: an anchor that contains
// itself or multiplies would otherwise never end.

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { ConfigError } from '../config-error.ts';
import { childPath, type PeerEntry, type PeerNode, type PeerScalar } from './peer-node.ts';

export const MAX_PEER_FILE_BYTES = 8 * 1024 * 1024;
const MAX_VALUES = 200_000;
const MAX_DEPTH = 64;

type Source = ReturnType<typeof parseDocument>;

export function parsePeerFile(fileName: string, text: string): PeerNode {
  if (Buffer.byteLength(text) > MAX_PEER_FILE_BYTES) throw tooLarge(fileName);
  const lines = new LineCounter();
  const options = { prettyErrors: false, lineCounter: lines, logLevel: 'error' } as const;
  const document = parseDocument(text.replace(/^\uFEFF/, ''), options);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const place = `line ${line}, column ${col}`;
    if (error.code === 'DUPLICATE_KEY')
      throw new ConfigError(
        `${fileName} has the same key twice: ${place}; delete the obsolete key.`,
      );
    const reason = error.code.toLowerCase().replaceAll('_', ' ');
    throw new ConfigError(`${fileName} is neither YAML nor JSON: ${place} (${reason}).`);
  }
  const root = new NodeReader(fileName, document, lines).read();
  if (!root.entries) throw new ConfigError(`${fileName} does not contain a map of settings.`);
  return root;
}

export function tooLarge(fileName: string): ConfigError {
  const most = MAX_PEER_FILE_BYTES / 1024 / 1024;
  return new ConfigError(`${fileName} is larger than ${most} MiB; it is not a configuration file.`);
}

class NodeReader {
  readonly #fileName: string;
  readonly #document: Source;
  readonly #lines: LineCounter;
  /** The collections on the path to the current value; an alias of such a collection is a cycle. */
  readonly #open = new Set<unknown>();
  #count = 0;

  constructor(fileName: string, document: Source, lines: LineCounter) {
    this.#fileName = fileName;
    this.#document = document;
    this.#lines = lines;
  }

  read(): PeerNode {
    return this.#node(this.#document.contents, '', 1);
  }

  /** `line` is the line of the value's key or, in a list, of the value itself. */
  #node(given: unknown, path: string, line: number): PeerNode {
    const source = isAlias(given) ? given.resolve(this.#document) : given;
    this.#count += 1;
    if (this.#count > MAX_VALUES || this.#open.size > MAX_DEPTH)
      throw this.#refuse('has too many values, or they are nested too deeply');
    if (this.#open.has(source)) throw this.#refuse(`has an anchor that contains itself (${path})`);
    if (isMap(source)) return this.#within(source, () => this.#map(source, path, line));
    if (isSeq(source)) return this.#within(source, () => this.#list(source.items, path, line));
    const scalar = isScalar(source) ? toScalar(source.value) : null;
    return { path, line, scalar, entries: undefined, items: undefined };
  }

  #map(source: YAMLMap, path: string, line: number): PeerNode {
    const entries = new Map<string, PeerNode>();
    for (const pair of source.items) {
      const key = this.#keyOf(pair);
      if (key === '<<') continue;
      entries.set(
        key,
        this.#node(pair.value, childPath(path, key), this.#lineOf(pair.key) ?? line),
      );
    }
    for (const pair of source.items.filter((each) => this.#keyOf(each) === '<<'))
      for (const { key, node } of this.#merged(pair, path, line))
        if (!entries.has(key)) entries.set(key, node);
    const list = [...entries].map(([key, node]): PeerEntry => ({ key, node }));
    return { path, line, scalar: undefined, entries: list, items: undefined };
  }

  /** The entries behind a YAML merge key (`<<: *defaults`), with the path of the map that merges them. */
  #merged({ value }: Pair, path: string, line: number): readonly PeerEntry[] {
    const sources = isSeq(value) ? value.items : [value];
    return sources.flatMap((each) => this.#node(each, path, line).entries ?? []);
  }

  #list(items: readonly unknown[], path: string, line: number): PeerNode {
    const nodes = items.map((item, index) =>
      this.#node(item, `${path}[${index}]`, this.#lineOf(item) ?? line),
    );
    return { path, line, scalar: undefined, entries: undefined, items: nodes };
  }

  #within(source: unknown, read: () => PeerNode): PeerNode {
    this.#open.add(source);
    const node = read();
    this.#open.delete(source);
    return node;
  }

  #keyOf({ key }: Pair): string {
    const source = isAlias(key) ? key.resolve(this.#document) : key;
    return isScalar(source) ? String(source.value) : String(source);
  }

  #lineOf(given: unknown): number | undefined {
    const range = (given as Partial<ParsedNode> | null)?.range;
    return range ? this.#lines.linePos(range[0]).line : undefined;
  }

  #refuse(reason: string): ConfigError {
    return new ConfigError(`${this.#fileName} ${reason}.`);
  }
}

function toScalar(value: unknown): PeerScalar {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return null;
}
