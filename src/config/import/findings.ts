// The report of an import: one finding per value or group of values of the peer's file. A finding about a map covers
// everything below it.

import { editDistance, nearest } from '../nearest.ts';
import { leavesOf, type PeerNode } from './peer-node.ts';

/** `changed`: taken, with a difference that the reason states. */
export type FindingStatus = 'taken' | 'changed' | 'left out' | 'unknown';

export type Finding = {
  readonly line: number;
  readonly path: string;
  readonly status: FindingStatus;
  /** The path in spillway.yaml, or the command that sets the value. */
  readonly to?: string;
  readonly reason?: string;
};

export class Findings {
  readonly #byPath = new Map<string, Finding>();

  taken(node: PeerNode, to: string): void {
    this.#add(node, { status: 'taken', to });
  }

  changed(node: PeerNode, to: string, reason: string): void {
    this.#add(node, { status: 'changed', to, reason });
  }

  leftOut(node: PeerNode, reason: string): void {
    this.#add(node, { status: 'left out', reason });
  }

  unknown(node: PeerNode, key: string, known: readonly string[]): void {
    const closest = nearest(key, known);
    const isClose = closest !== undefined && editDistance(key, closest) <= key.length / 2;
    this.#add(node, {
      status: 'unknown',
      reason: `not a documented key${isClose ? `; the nearest one is ${closest}` : ''}`,
    });
  }

  /** Adds a finding for every value that no rule has reported, so that nothing disappears silently. */
  complete(root: PeerNode): void {
    for (const leaf of leavesOf(root))
      if (!this.covers(leaf.path)) this.leftOut(leaf, 'no rule of this importer reads it');
  }

  /** Whether a finding concerns this value or a map around it. */
  covers(path: string): boolean {
    if (this.#byPath.has(path)) return true;
    const parent = parentPath(path);
    return parent !== undefined && this.covers(parent);
  }

  /** In the order of the file. */
  list(): readonly Finding[] {
    return [...this.#byPath.values()].sort((one, other) => one.line - other.line);
  }

  #add({ line, path }: PeerNode, finding: Omit<Finding, 'line' | 'path'>): void {
    if (!this.#byPath.has(path)) this.#byPath.set(path, { line, path, ...finding });
  }
}

/** The path of the map or list around a value; the whole file has the empty path. */
function parentPath(path: string): string | undefined {
  if (path === '') return undefined;
  const end = path.search(/(?:\.(?:"(?:[^"\\]|\\.)*"|[^.[\]"]+)|\[\d+\])$/);
  return end > 0 ? path.slice(0, end) : '';
}
