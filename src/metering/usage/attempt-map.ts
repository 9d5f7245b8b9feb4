// A map by attempt id. V8 internalizes every string that becomes a key of a Map: it copies the string to the old
// generation and enters it in a global table. An attempt id is used once, so this costs more than everything else that
// a reservation does in memory. Here the key of the Map is a number computed from the random part of the id; ids with
// the same number form a list.

type Entry<T> = { readonly id: string; value: T; next: Entry<T> | undefined };

export class AttemptMap<T> {
  readonly #entries = new Map<number, Entry<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): T | undefined {
    return this.#find(id)?.value;
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  set(id: string, value: T): void {
    const known = this.#find(id);
    if (known) {
      known.value = value;
      return;
    }
    const hash = hashOf(id);
    this.#entries.set(hash, { id, value, next: this.#entries.get(hash) });
    this.#size += 1;
  }

  delete(id: string): void {
    const hash = hashOf(id);
    const first = this.#entries.get(hash);
    if (!first || !this.#find(id)) return;
    const rest = without(first, id);
    if (rest) this.#entries.set(hash, rest);
    else this.#entries.delete(hash);
    this.#size -= 1;
  }

  /** In no particular order. Entries may be deleted meanwhile. */
  *values(): Generator<T> {
    for (const first of this.#entries.values())
      for (let entry: Entry<T> | undefined = first; entry; entry = entry.next) yield entry.value;
  }

  #find(id: string): Entry<T> | undefined {
    let entry = this.#entries.get(hashOf(id));
    while (entry && entry.id !== id) entry = entry.next;
    return entry;
  }
}

/** Ids end in random digits and the number of the attempt. */
const HASHED_CHARACTERS = 12;

function hashOf(id: string): number {
  let hash = 0;
  for (let at = Math.max(0, id.length - HASHED_CHARACTERS); at < id.length; at += 1)
    hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  return hash;
}

function without<T>(entry: Entry<T>, id: string): Entry<T> | undefined {
  if (entry.id === id) return entry.next;
  return { ...entry, next: entry.next && without(entry.next, id) };
}
