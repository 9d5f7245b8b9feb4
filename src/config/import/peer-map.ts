// Reads the keys of one map of a peer's file. A rule asks for the keys that it understands and reports them; `close`
// reports the others: with the reason of the table of known keys, or as unknown. A value of the wrong type is refused
// with one sentence, because a guess about a limit or a budget would be worse than no import.

import { ConfigError } from '../config-error.ts';
import type { Findings } from './findings.ts';
import { describeShape, type PeerEntry, type PeerNode } from './peer-node.ts';

export type Read<T> = { readonly value: T; readonly node: PeerNode };

/** Key → the reason why Spillway does not take it. */
export type LeftOutKeys = ReadonlyMap<string, string>;

/** Builds the table from reasons and the keys, separated by spaces, that each of them applies to. */
export function leftOutKeys(keysByReason: Readonly<Record<string, string>>): LeftOutKeys {
  return new Map(
    Object.entries(keysByReason).flatMap(([reason, keys]) =>
      keys.split(/\s+/).map((key) => [key, reason] as const),
    ),
  );
}

export class PeerMap {
  readonly node: PeerNode;
  readonly #entries: ReadonlyMap<string, PeerNode>;
  readonly #findings: Findings;
  readonly #asked = new Set<string>();

  constructor(node: PeerNode, findings: Findings) {
    if (!node.entries) throw wrongShape(node, 'a map of keys and values');
    this.node = node;
    this.#entries = new Map(node.entries.map((entry) => [entry.key, entry.node]));
    this.#findings = findings;
  }

  get entries(): readonly PeerEntry[] {
    return this.node.entries ?? [];
  }

  /** The node of a key with a value; an empty value is reported and counts as absent. */
  get(key: string): PeerNode | undefined {
    this.#asked.add(key);
    const node = this.#entries.get(key);
    if (node && isEmpty(node)) this.#findings.leftOut(node, 'its value is empty');
    return node?.scalar === null ? undefined : node;
  }

  text(key: string): Read<string> | undefined {
    const node = this.get(key);
    return node && { node, value: textOf(node) };
  }

  number(key: string): Read<number> | undefined {
    const node = this.get(key);
    if (!node) return undefined;
    if (typeof node.scalar === 'string' && /^(?:os\.environ\/|env\.)/.test(node.scalar)) {
      this.#findings.leftOut(node, 'its number is in a variable; set it by hand');
      return undefined;
    }
    const value = typeof node.scalar === 'string' ? toNumber(node.scalar) : node.scalar;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || node.scalar === '')
      throw wrongShape(node, 'a number of 0 or more');
    return { node, value };
  }

  boolean(key: string): Read<boolean> | undefined {
    const node = this.get(key);
    if (!node) return undefined;
    const value = BOOLEANS.get(String(node.scalar).toLowerCase());
    if (value === undefined) throw wrongShape(node, 'true or false');
    return { node, value };
  }

  list(key: string): readonly PeerNode[] {
    const node = this.get(key);
    if (!node) return [];
    if (!node.items) throw wrongShape(node, 'a list');
    return node.items;
  }

  map(key: string): PeerMap | undefined {
    const node = this.get(key);
    return node && new PeerMap(node, this.#findings);
  }

  maps(key: string): readonly PeerMap[] {
    return this.list(key).map((node) => new PeerMap(node, this.#findings));
  }

  /** Reports every key that no rule has reported. */
  close(leftOut: LeftOutKeys): void {
    for (const { key, node } of this.entries) {
      const reason = leftOut.get(key);
      if (reason !== undefined && !this.#findings.covers(node.path))
        this.#findings.leftOut(node, reason);
      else if (reason === undefined && !this.#asked.has(key))
        this.#findings.unknown(node, key, [...this.#asked, ...leftOut.keys()]);
    }
  }
}

export function textOf(node: PeerNode): string {
  if (typeof node.scalar === 'string') return node.scalar.trim();
  if (typeof node.scalar === 'number') return String(node.scalar);
  throw wrongShape(node, 'a text');
}

function wrongShape(node: PeerNode, allowed: string): ConfigError {
  const name = node.path === '' ? 'The file' : node.path;
  return new ConfigError(
    `${name} (line ${node.line}) is ${describeShape(node)}, but it must be ${allowed}.`,
  );
}

/** YAML of Python accepts `20_000`. */
function toNumber(text: string): number {
  return Number(text.trim().replaceAll(/(?<=\d)_(?=\d)/g, ''));
}

function isEmpty({ scalar, items, entries }: PeerNode): boolean {
  return scalar === null || scalar === '' || items?.length === 0 || entries?.length === 0;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);
