// Amounts that each count until their own expiry, ordered by it: the storage of every window, reservation and slot. They
// lie in one array of numbers that grows and shrinks with its content, so that a subject that is rarely used costs almost
// nothing. Appending and dropping expired amounts take constant time per amount. There is no clock: the caller passes the
// time. Two amounts with the same expiry and size are interchangeable, so an amount is found by these two and has no id.

const MIN_CAPACITY = 4;

export class ExpiringAmounts {
  /** Numbers per entry: the expiry alone where every amount is one, else the expiry and the amount. */
  readonly #stride: 1 | 2;
  #numbers: Float64Array;
  #head = 0;
  #tail = 0;
  #sum = 0;

  constructor(amounts: 'ones' | 'any') {
    this.#stride = amounts === 'ones' ? 1 : 2;
    this.#numbers = new Float64Array(MIN_CAPACITY * this.#stride);
  }

  get count(): number {
    return this.#tail - this.#head;
  }

  get sum(): number {
    return this.#stride === 1 ? this.#tail - this.#head : this.#sum;
  }

  /** The expiry of the entry at this index, the earliest first; infinite past the end. */
  untilAt(index: number): number {
    const entry = this.#head + index;
    if (entry >= this.#tail) return Number.POSITIVE_INFINITY;
    return this.#numbers[entry * this.#stride] ?? Number.POSITIVE_INFINITY;
  }

  amountAt(index: number): number {
    return this.#stride === 1 ? 1 : (this.#numbers[(this.#head + index) * 2 + 1] ?? 0);
  }

  /** Removes entries that expired at `now` or before. */
  dropExpired(now: number): void {
    while (this.#head < this.#tail && this.untilAt(0) <= now) {
      this.#sum -= this.amountAt(0);
      this.#head += 1;
    }
    if (this.#head === this.#tail) this.#empty();
  }

  add(until: number, amount: number): void {
    if (this.#tail * this.#stride === this.#numbers.length) this.#resize();
    const index = this.#indexAfter(until);
    this.#open(index);
    this.#write(index, until, amount);
    this.#sum += amount;
  }

  /** Adds to an entry with the same expiry, or a new entry. */
  addTo(until: number, amount: number): void {
    const index = this.#indexAfter(until) - 1;
    if (index < 0 || this.untilAt(index) !== until) return this.add(until, amount);
    this.#write(index, until, this.amountAt(index) + amount);
    this.#sum += amount;
  }

  /** Changes one amount. False when it has expired. */
  replace(until: number, amount: number, by: number): boolean {
    const index = this.#indexOf(until, amount);
    if (index < 0) return false;
    this.#write(index, until, by);
    this.#sum += by - amount;
    return true;
  }

  remove(until: number, amount: number): boolean {
    const index = this.#indexOf(until, amount);
    if (index < 0) return false;
    const at = (this.#head + index) * this.#stride;
    this.#numbers.copyWithin(at, at + this.#stride, this.#tail * this.#stride);
    this.#tail -= 1;
    this.#sum -= amount;
    return true;
  }

  #empty(): void {
    this.#head = 0;
    this.#tail = 0;
    this.#sum = 0;
  }

  #write(index: number, until: number, amount: number): void {
    const at = (this.#head + index) * this.#stride;
    this.#numbers[at] = until;
    if (this.#stride === 2) this.#numbers[at + 1] = amount;
  }

  /** Makes space at an index, which is nearly always the end, where nothing has to move. */
  #open(index: number): void {
    const at = (this.#head + index) * this.#stride;
    const end = this.#tail * this.#stride;
    if (at < end) this.#numbers.copyWithin(at + this.#stride, at, end);
    this.#tail += 1;
  }

  /** To twice the count, so that copying is amortised; the same array is reused where it has that size. */
  #resize(): void {
    const { count } = this;
    let capacity = MIN_CAPACITY;
    while (capacity < count * 2) capacity *= 2;
    const numbers =
      capacity * this.#stride === this.#numbers.length
        ? this.#numbers
        : new Float64Array(capacity * this.#stride);
    numbers.set(this.#numbers.subarray(this.#head * this.#stride, this.#tail * this.#stride));
    this.#numbers = numbers;
    this.#head = 0;
    this.#tail = count;
  }

  /** The index after all entries that expire by `until`; checks the end first, where it nearly always is. */
  #indexAfter(until: number): number {
    let high = this.count;
    if (high === 0 || this.untilAt(high - 1) <= until) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.untilAt(middle) <= until) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #indexOf(until: number, amount: number): number {
    let index = this.#indexAfter(until) - 1;
    while (index >= 0 && this.untilAt(index) === until) {
      if (this.amountAt(index) === amount) return index;
      index -= 1;
    }
    return -1;
  }
}

/** When `needed` of both sums has expired if nothing is added; infinite when it exceeds the sums. */
export function untilFreed(
  needed: number,
  one: ExpiringAmounts,
  other: ExpiringAmounts = NONE,
): number {
  let [fromOne, fromOther, freed] = [0, 0, 0];
  for (;;) {
    const until = Math.min(one.untilAt(fromOne), other.untilAt(fromOther));
    if (until === Number.POSITIVE_INFINITY) return until;
    if (one.untilAt(fromOne) === until) freed += one.amountAt(fromOne++);
    else freed += other.amountAt(fromOther++);
    if (freed >= needed) return until;
  }
}

const NONE = new ExpiringAmounts('ones');
