// The last encoded log lines, outside the heap: a busy server writes thousands of entries a second, and objects that live
// until they are overwritten would all be promoted to the old generation.

/** A line of a request takes about 600. */
const SLOT_BYTES = 1024;

export class LineRing {
  readonly #bytes: Buffer;
  readonly #lengths: Uint16Array;
  /** Lines that do not fit their slot, or have characters beyond ASCII. */
  readonly #others = new Map<number, string>();
  #next = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity * SLOT_BYTES);
    this.#lengths = new Uint16Array(capacity);
  }

  push(line: string): void {
    const slot = this.#next;
    const capacity = this.#lengths.length;
    this.#next = slot + 1 === capacity ? 0 : slot + 1;
    this.#count = Math.min(this.#count + 1, capacity);
    if (this.#others.size > 0) this.#others.delete(slot);
    if (line.length > SLOT_BYTES || Buffer.byteLength(line) !== line.length)
      this.#others.set(slot, line);
    else this.#lengths[slot] = this.#bytes.write(line, slot * SLOT_BYTES, 'latin1');
  }

  /** Newest first. */
  lines(): readonly string[] {
    const capacity = this.#lengths.length;
    return Array.from({ length: this.#count }, (_, age) =>
      this.#lineAt((this.#next - 1 - age + capacity) % capacity),
    );
  }

  #lineAt(slot: number): string {
    const start = slot * SLOT_BYTES;
    const end = start + (this.#lengths[slot] ?? 0);
    return this.#others.get(slot) ?? this.#bytes.toString('latin1', start, end);
  }
}
