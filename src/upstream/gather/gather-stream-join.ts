// Joins the pieces in which a stream delivers one object: texts are appended, lists go on (where their elements come in
// pieces as well, those of the same `index` are joined), objects are joined field by field, everything else is replaced.
// So fields that nobody knows yet are kept as well as those we know. It changes nothing but the object joined into.

/** Without a prototype: names come from outside, and `__proto__` is a name like any other here. */
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

/** The value at a number, made when it is asked for the first time. */
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

/** What is said later holds; nothing is said by null, unless nothing else was. */
export function keepLatest(target: Fields, said: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(said)) target[name] = value ?? target[name] ?? value;
}

export function join(target: Fields, piece: Readonly<Record<string, unknown>>): void {
  for (const [name, added] of Object.entries(piece)) {
    target[name] = joined(name, target[name], added);
  }
}

/** Texts that are names and not words: they come whole, and sometimes again. */
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

/** Lists whose elements come in pieces, each of which says by its `index` which one it belongs to. */
const INDEXED_LISTS: ReadonlySet<string> = new Set(['tool_calls', 'reasoning_details']);

/** Lists that are joined into were made here, so they can grow in place. */
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
