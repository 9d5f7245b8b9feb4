// Amounts that each count until a moment of their own, in the order of those moments: the one store behind every
// window, reservation and slot. They lie in one array of numbers that grows and shrinks with what is in it, so that
// a subject that is hardly used costs next to nothing. Adding at the end and dropping what is over cost the same
// however many there are. It knows no clock: whoever asks says what is over.
//
// Two of the same moment and amount are the same to everybody, so an amount is found again by these two and needs no
// name.

const FIRST_ROOM = 4;

export class ExpiringAmounts {
  /** Numbers per entry: its moment alone where every amount is one, else its amount behind it. */
  readonly #stride: 1 | 2;
  #numbers: Float64Array;
  #head = 0;
  #tail = 0;
  #sum = 0;

  constructor(amounts: 'ones' | 'any') {
    this.#stride = amounts === 'ones' ? 1 : 2;
    this.#numbers = new Float64Array(FIRST_ROOM * this.#stride);
  }

  get count(): number {
    return this.#tail - this.#head;
  }

  get sum(): number {
    return this.#stride === 1 ? this.#tail - this.#head : this.#sum;
  }

  /** Counted from the one that is over first; never where there is none. */
  untilAt(index: number): number {
    const entry = this.#head + index;
    if (entry >= this.#tail) return Number.POSITIVE_INFINITY;
    return this.#numbers[entry * this.#stride] ?? Number.POSITIVE_INFINITY;
  }

  amountAt(index: number): number {
    return this.#stride === 1 ? 1 : (this.#numbers[(this.#head + index) * 2 + 1] ?? 0);
  }

  /** Forgets what counted until `now` or less. */
  dropOver(now: number): void {
    while (this.#head < this.#tail && this.untilAt(0) <= now) {
      this.#sum -= this.amountAt(0);
      this.#head += 1;
    }
    if (this.#head === this.#tail) this.#empty();
  }

  add(until: number, amount: number): void {
    if (this.#tail * this.#stride === this.#numbers.length) this.#makeRoom();
    const index = this.#indexBehind(until);
    this.#open(index);
    this.#write(index, until, amount);
    this.#sum += amount;
  }

  /** Adds to what counts until the very same moment, where there is something. */
  addTo(until: number, amount: number): void {
    const index = this.#indexBehind(until) - 1;
    if (index < 0 || this.untilAt(index) !== until) return this.add(until, amount);
    this.#write(index, until, this.amountAt(index) + amount);
    this.#sum += amount;
  }

  /** One such amount counts as another from now on. False when there is none, because it is over. */
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

  /** Nearly always at the end, where nothing has to move. */
  #open(index: number): void {
    const at = (this.#head + index) * this.#stride;
    const end = this.#tail * this.#stride;
    if (at < end) this.#numbers.copyWithin(at + this.#stride, at, end);
    this.#tail += 1;
  }

  /** Twice what is needed now: as much again fits before the next move. */
  #makeRoom(): void {
    const { count } = this;
    let room = FIRST_ROOM;
    while (room < count * 2) room *= 2;
    const numbers =
      room * this.#stride === this.#numbers.length
        ? this.#numbers
        : new Float64Array(room * this.#stride);
    numbers.set(this.#numbers.subarray(this.#head * this.#stride, this.#tail * this.#stride));
    this.#numbers = numbers;
    this.#head = 0;
    this.#tail = count;
  }

  /** Behind everything that is over by then; found from the end, where it nearly always is. */
  #indexBehind(until: number): number {
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
    let index = this.#indexBehind(until) - 1;
    while (index >= 0 && this.untilAt(index) === until) {
      if (this.amountAt(index) === amount) return index;
      index -= 1;
    }
    return -1;
  }
}

/** When so much of what they hold together is over, if nothing is added; never when it is more than they hold. */
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
