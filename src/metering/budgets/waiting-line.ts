// Those who wait for money that others reservation, in the order of their asking, counted by organisation: whoever comes later
// for the same one waits behind them.

import type { SharedAsking } from './shared-asking.ts';

export class WaitingLine {
  #line: SharedAsking[] = [];
  readonly #organizations = new Map<string, number>();

  get size(): number {
    return this.#line.length;
  }

  has(organizationId: string): boolean {
    return this.#organizations.has(organizationId);
  }

  add(asking: SharedAsking): void {
    this.#line.push(asking);
    const { organizationId } = asking.reservation;
    this.#organizations.set(organizationId, (this.#organizations.get(organizationId) ?? 0) + 1);
  }

  remove(asking: SharedAsking): void {
    const place = this.#line.indexOf(asking);
    if (place < 0) return;
    this.#line.splice(place, 1);
    this.#left(asking);
  }

  /** The first of them, who leave the line. */
  takeAll(most: number): readonly SharedAsking[] {
    const taken = this.#line.slice(0, most);
    this.#line = this.#line.slice(most);
    for (const asking of taken) this.#left(asking);
    return taken;
  }

  #left({ reservation: { organizationId } }: SharedAsking): void {
    const others = (this.#organizations.get(organizationId) ?? 1) - 1;
    if (others > 0) this.#organizations.set(organizationId, others);
    else this.#organizations.delete(organizationId);
  }
}
