// What the local journal reservations, in the order in which it happened: money reserved for an attempt, the usage that ended the
// attempt, or the word that it was never made. A reservation without an end is one whose process died. A lease is money taken
// beforehand for attempts that follow (budget-leases.ts); its release ends it. A void says that a reservation has ended of
// which a statement may still be on its way: the store is never to reservation it.

import {
  type BudgetReservation,
  decodeBudgetReservation,
  encodeBudgetReservation,
} from '../budgets/budget-reservation.ts';
import { decodeUsageRecord, encodeUsageRecord, type UsageRecord } from './usage-record.ts';

export type JournalEntry =
  | { readonly kind: 'usage'; readonly record: UsageRecord }
  | { readonly kind: 'reservation'; readonly reservation: BudgetReservation }
  | { readonly kind: 'void'; readonly reservation: BudgetReservation }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'lease'; readonly id: string };

/** One line without its line end. */
export function encodeJournalEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'usage':
      return encodeUsageRecord(entry.record);
    case 'reservation':
      return encodeBudgetReservation(RESERVATION_WORD, entry.reservation);
    case 'void':
      return encodeBudgetReservation(VOID_WORD, entry.reservation);
    case 'release':
      return JSON.stringify([RELEASE_WORD, entry.id]);
    case 'lease':
      return JSON.stringify([LEASE_WORD, entry.id]);
  }
}

export function decodeJournalEntry(line: string): JournalEntry | undefined {
  // Usage lines begin with the number of their version, and are most of a long backlog.
  if (!line.startsWith('["')) {
    const record = decodeUsageRecord(line);
    return record && { kind: 'usage', record };
  }
  const values = arrayOf(line);
  if (!values) return undefined;
  const [word, id] = values;
  if (word === RELEASE_WORD || word === LEASE_WORD)
    return typeof id === 'string' ? { kind: word, id } : undefined;
  if (word !== RESERVATION_WORD && word !== VOID_WORD) return undefined;
  const reservation = decodeBudgetReservation(values);
  return reservation && { kind: word, reservation };
}

const RESERVATION_WORD = 'reservation';
const RELEASE_WORD = 'release';
const LEASE_WORD = 'lease';
const VOID_WORD = 'void';

function arrayOf(line: string): readonly unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) ? values : undefined;
  } catch {
    return undefined;
  }
}
