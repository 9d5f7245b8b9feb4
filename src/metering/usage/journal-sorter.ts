// Sorts journal entries into the changes that the store has to make. A reservation is stored only if its attempt has not
// ended by now; then the store deletes it with the record that ends it. After a start the journal also has the entries of
// the previous process: its reservations are open unless the journal has their end, and its allotments are released when
// all attempts that they paid are stored.

import type { BudgetReservation } from '../budgets/budget-reservation.ts';
import { AttemptMap } from './attempt-map.ts';
import type { JournalEntry } from './journal-entry.ts';
import { LOST, type UsageRecord } from './usage-record.ts';
import type { ReservationChanges } from './usage-store.ts';

export type OpenAttempts = {
  /** False once the attempt has ended: its reservation need not be stored. */
  isOpen(attemptId: string): boolean;
  /** Whether the allotment belongs to this process. */
  hasAllotment(id: string): boolean;
  /** True if the ledger also stores reservations itself, so that the store must learn of every end. */
  readonly reservationsAreRows: boolean;
};

export type SortedEntries = ReservationChanges & {
  readonly records: readonly UsageRecord[];
  /** Allotments of this process: their entries stay in the journal. */
  readonly allotments: readonly string[];
};

export class JournalSorter {
  readonly #attempts: OpenAttempts | undefined;
  /** Reservations that the drain has stored: the store is not asked to delete others. */
  readonly #stored = new AttemptMap<true>();
  readonly #formerAllotments = new Set<string>();
  #isReplaying = true;

  constructor(attempts: OpenAttempts | undefined) {
    this.#attempts = attempts;
  }

  /** Until the journal has been emptied once: it is unknown what the previous process has stored. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** The allotments of the previous process. Releasing one again that it has released changes nothing. */
  get formerAllotments(): readonly string[] {
    return [...this.#formerAllotments];
  }

  sort(entries: readonly JournalEntry[]): SortedEntries {
    const records: UsageRecord[] = [];
    const opened: BudgetReservation[] = [];
    const closed: string[] = [];
    const voided: BudgetReservation[] = [];
    const allotments: string[] = [];
    const ended = this.#isReplaying || !this.#attempts ? endedIn(entries) : undefined;
    for (const entry of entries) {
      if (entry.kind === 'allotment') {
        if (this.#attempts?.hasAllotment(entry.id)) allotments.push(entry.id);
        else if (this.#isReplaying) this.#formerAllotments.add(entry.id);
      } else if (entry.kind === 'reservation') {
        if (this.#isOpen(entry.reservation.id, ended)) opened.push(entry.reservation);
      } else if (entry.kind === 'void') {
        voided.push(entry.reservation);
      } else {
        if (entry.kind === 'usage') records.push(entry.record);
        if (this.#mayBeStored(entry)) closed.push(idOf(entry));
      }
    }
    return { records, opened, closed, voided, allotments };
  }

  stored({ opened, closed, voided }: ReservationChanges): void {
    for (const { id } of opened) this.#stored.set(id, true);
    for (const id of closed) this.#stored.delete(id);
    for (const { id } of voided) this.#stored.delete(id);
  }

  /** The journal has been emptied. */
  endReplay(): void {
    this.#isReplaying = false;
    this.#formerAllotments.clear();
  }

  #isOpen(id: string, ended: ReadonlySet<string> | undefined): boolean {
    return ended ? !ended.has(id) : this.#attempts?.isOpen(id) === true;
  }

  #mayBeStored(entry: EndEntry): boolean {
    if (this.#isReplaying || this.#stored.has(idOf(entry))) return true;
    if (entry.kind === 'release') return this.#attempts?.reservationsAreRows === true;
    return entry.record.status === LOST;
  }
}

type EndEntry = Extract<JournalEntry, { readonly kind: 'usage' | 'release' }>;

function endedIn(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'usage' || entry.kind === 'release') ended.add(idOf(entry));
    if (entry.kind === 'void') ended.add(entry.reservation.id);
  }
  return ended;
}

function idOf(entry: EndEntry): string {
  return entry.kind === 'usage' ? entry.record.id : entry.id;
}
