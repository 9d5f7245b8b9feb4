// The SQL columns of stored records: the layout's field names in snake case, in the layout's order, which is also the order
// of the table's columns (test/contract/usage-store.ts compares them).

import { postingMonth } from '../../../kernel/calendar/calendar-month.ts';
import { RecordLayout, type StoredValue } from '../../../kernel/record-layout.ts';
import {
  addReservationFields,
  addUsageFields,
  RESERVATION_FIELDS,
  USAGE_FIELDS,
} from '../../../kernel/stored-fields.ts';
import type { BudgetReservation } from '../../../metering/budgets/budget-reservation.ts';
import type { UsageRecord } from '../../../metering/usage/usage-record.ts';

const USAGE_LAYOUT = new RecordLayout<UsageRecord>(USAGE_FIELDS, addUsageFields);
export const RESERVATION_LAYOUT = new RecordLayout<BudgetReservation>(
  RESERVATION_FIELDS,
  addReservationFields,
);

export const USAGE_COLUMNS = USAGE_LAYOUT.fields.map(toSnakeCase);
export const RESERVATION_COLUMNS = RESERVATION_LAYOUT.fields.map(toSnakeCase);

/** Appends the values to `values`. A stored record always has its month. */
export function usageValues(record: UsageRecord, values: StoredValue[] = []): StoredValue[] {
  const { budgetMonth } = record;
  return USAGE_LAYOUT.values(
    budgetMonth === undefined ? { ...record, budgetMonth: postingMonth(record) } : record,
    values,
  );
}

type Row = Readonly<Record<string, unknown>>;

export function toUsageRecord(row: Row): UsageRecord {
  return fromRow(USAGE_LAYOUT, USAGE_COLUMNS, row);
}

export function toReservation(row: Row): BudgetReservation {
  return fromRow(RESERVATION_LAYOUT, RESERVATION_COLUMNS, row);
}

function fromRow<T extends object>(
  layout: RecordLayout<T>,
  columns: readonly string[],
  row: Row,
): T {
  const record = layout.parse(columns.map((column) => row[column]));
  if (!record) throw new Error(`the stored row ${String(row['id'])} has a value of the wrong type`);
  return record;
}

/** `cacheWrite1hTokens` becomes `cache_write_1h_tokens`. */
function toSnakeCase(field: string): string {
  return field.replaceAll(/[A-Z]|\d+/g, (start) => `_${start.toLowerCase()}`);
}
