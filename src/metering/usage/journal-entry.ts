// The entries of the local journal, in the order in which they happened. A reservation is followed by the usage that ended
// its attempt, or by a release if the attempt was never sent; a reservation without either belongs to a process that died.
// A void ends a reservation and makes the store ignore a reservation statement that arrives later. An allotment names money
// that this server takes from the store for later attempts; its release ends it.

import { type BudgetReservation, RESERVATION_LAYOUT } from '../budgets/budget-reservation.ts';
import { decodeUsageRecord, encodeUsageRecord, type UsageRecord } from './usage-record.ts';

export type JournalEntry =
  | { readonly kind: 'usage'; readonly record: UsageRecord }
  | { readonly kind: 'reservation'; readonly reservation: BudgetReservation }
  | { readonly kind: 'void'; readonly reservation: BudgetReservation }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'allotment'; readonly id: string };

/** One line without its line end. */
export function encodeJournalEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'usage':
      return encodeUsageRecord(entry.record);
    case 'reservation':
    case 'void':
      return JSON.stringify(RESERVATION_LAYOUT.values(entry.reservation, [entry.kind]));
    case 'release':
    case 'allotment':
      return JSON.stringify([entry.kind, entry.id]);
  }
}

export function decodeJournalEntry(line: string): JournalEntry | undefined {
  // A usage line begins with the number of its version; most lines of a long backlog are usage.
  if (!line.startsWith('["')) {
    const record = decodeUsageRecord(line);
    return record && { kind: 'usage', record };
  }
  const [kind, ...values] = arrayOf(line);
  if (kind === 'release' || kind === 'allotment') {
    const [id] = values;
    return typeof id === 'string' ? { kind, id } : undefined;
  }
  if (kind !== 'reservation' && kind !== 'void') return undefined;
  const reservation = RESERVATION_LAYOUT.parse(values);
  return reservation && { kind, reservation };
}

function arrayOf(line: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}
