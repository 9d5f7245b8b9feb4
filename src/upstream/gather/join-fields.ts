// Joins the fragments of an object that a stream delivers: strings are appended, lists extended (in lists of fragments,
// elements with the same `index` are joined), objects joined field by field, other values replaced. Unknown fields are
// joined by the same rules, so a new vendor field is not lost. Only the target object is modified.

/** Without a prototype: names come from the provider, and `__proto__` must be a plain key. */
export type Fields = Record<string, unknown>;

export function newFields(): Fields {
  return Object.create(null);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The entry at an index, created on first use. */
export function entryAt<T>(entries: Map<number, T>, index: unknown, make: () => T): T {
  const at = typeof index === 'number' ? index : 0;
  const known = entries.get(at);
  if (known !== undefined) return known;
  const made = make();
  entries.set(at, made);
  return made;
}

export function inOrder<T>(entries: ReadonlyMap<number, T>): readonly T[] {
  return [...entries].toSorted(([one], [other]) => one - other).map(([, entry]) => entry);
}

/** The latest value of each field wins; null does not replace a value. */
export function keepLatest(target: Fields, said: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(said)) target[name] = value ?? target[name] ?? value;
}

export function join(target: Fields, piece: Readonly<Record<string, unknown>>): void {
  for (const [name, added] of Object.entries(piece)) {
    target[name] = joined(name, target[name], added);
  }
}

/** Strings that arrive whole, and sometimes repeatedly: they are replaced, not appended. */
const WHOLE_TEXTS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'name',
  'role',
  'status',
  'format',
  'signature',
  'finish_reason',
]);

function joined(name: string, known: unknown, added: unknown): unknown {
  if (added === null || added === undefined) return known ?? added;
  if (typeof added === 'string') return joinedText(name, known, added);
  if (Array.isArray(added)) return joinedList(name, known, added);
  if (!isRecord(added)) return added;
  const target = isRecord(known) ? known : newFields();
  join(target, added);
  return target;
}

function joinedText(name: string, known: unknown, added: string): string {
  if (typeof known !== 'string') return added;
  if (!WHOLE_TEXTS.has(name)) return known + added;
  return added === '' ? known : added;
}

/** Lists whose elements arrive as fragments; a fragment's `index` names its element. */
const INDEXED_LISTS: ReadonlySet<string> = new Set(['tool_calls', 'reasoning_details']);

/** The known list was created by this function, so it can be extended in place. */
function joinedList(name: string, known: unknown, added: readonly unknown[]): unknown[] {
  const list: unknown[] = Array.isArray(known) ? known : [];
  for (const element of added) {
    const same = INDEXED_LISTS.has(name) ? sameIndex(list, element) : undefined;
    if (same && isRecord(element)) join(same, element);
    else list.push(joined('', undefined, element));
  }
  return list;
}

function sameIndex(list: readonly unknown[], element: unknown): Fields | undefined {
  const index = isRecord(element) ? element['index'] : undefined;
  if (typeof index !== 'number') return undefined;
  return list.find((other): other is Fields => isRecord(other) && other['index'] === index);
}
