// A value of a peer's configuration file with its path and its line, so that the report can name both. The tree is plain
// data: anchors and merge keys are resolved by parse-peer-file.ts.

export type PeerNode = {
  /** Such as `model_list[0].litellm_params.rpm`; empty for the whole file. */
  readonly path: string;
  readonly line: number;
  /** The value of a scalar; undefined for a map or a list. */
  readonly scalar: PeerScalar | undefined;
  /** The entries of a map, in the order of the file. */
  readonly entries: readonly PeerEntry[] | undefined;
  /** The items of a list. */
  readonly items: readonly PeerNode[] | undefined;
};

export type PeerScalar = string | number | boolean | null;

export type PeerEntry = { readonly key: string; readonly node: PeerNode };

export function childPath(parent: string, key: string): string {
  const shown = /^[^\s.[\]"]{1,128}$/.test(key) ? key : JSON.stringify(key.slice(0, 128));
  return parent === '' ? shown : `${parent}.${shown}`;
}

export function describeShape(node: PeerNode): string {
  if (node.entries) return 'a map';
  if (node.items) return 'a list';
  if (node.scalar === null || node.scalar === undefined) return 'empty';
  return typeof node.scalar === 'string' ? 'a text' : `a ${typeof node.scalar}`;
}

/** The scalars, empty maps and empty lists below a node. */
export function leavesOf(node: PeerNode): readonly PeerNode[] {
  const children = node.items ?? node.entries?.map((entry) => entry.node) ?? [];
  return children.length === 0 ? [node] : children.flatMap(leavesOf);
}
