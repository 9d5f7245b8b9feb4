// The usage of all organisations by hour, provider and model: derived from usage_rollups (spend-store.ts).

import type { ColumnType } from 'kysely';

export type UsageHoursTable = {
  hour_start: Int;
  provider: string;
  model: string;
  attempts: Int;
  cost_nanos: Int;
};

type Int = ColumnType<number | string | bigint, number, number>;
