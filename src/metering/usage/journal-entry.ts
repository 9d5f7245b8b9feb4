// What the local journal holds, in the order in which it happened: money held for an attempt, the usage that ended the
// attempt, or the word that it was never made. A hold without an end is one whose process died. A lease is money taken
// beforehand for attempts that follow (budget-leases.ts); its release ends it. A void says that a hold has ended of
// which a statement may still be on its way: the store is never to hold it.

import { type BudgetHold, decodeBudgetHold, encodeBudgetHold } from '../budgets/budget-hold.ts';
import { decodeUsageRecord, encodeUsageRecord, type UsageRecord } from './usage-record.ts';

export type JournalEntry =
  | { readonly kind: 'usage'; readonly record: UsageRecord }
  | { readonly kind: 'hold'; readonly hold: BudgetHold }
  | { readonly kind: 'void'; readonly hold: BudgetHold }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'lease'; readonly id: string };

/** One line without its line end. */
export function encodeJournalEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'usage':
      return encodeUsageRecord(entry.record);
    case 'hold':
      return encodeBudgetHold(HOLD_WORD, entry.hold);
    case 'void':
      return encodeBudgetHold(VOID_WORD, entry.hold);
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
  if (word !== HOLD_WORD && word !== VOID_WORD) return undefined;
  const hold = decodeBudgetHold(values);
  return hold && { kind: word, hold };
}

const HOLD_WORD = 'hold';
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
