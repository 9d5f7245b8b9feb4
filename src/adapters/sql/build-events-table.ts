// The build events table, which Spillway shares with a product. Its column types differ between the stores;
// build-event-row.ts converts them. In rows that the product inserted any nullable column may be null.

import type { ColumnType, RawBuilder } from 'kysely';

export type BuildEventsTable = {
  id: ColumnType<number | string | bigint, never, never>;
  organization_id: string | null;
  build_id: string;
  user_id: string | null;
  event_type: string;
  event_data: string | null;
  created_at: ColumnType<number | string | bigint, RawBuilder<unknown>, never>;
  user_visible: ColumnType<Flag | null, Flag, never>;
  event_phase: string | null;
  event_title: string | null;
  event_description: string | null;
  overall_progress: ColumnType<number | null, RawBuilder<unknown> | null, never>;
  finished: ColumnType<Flag | null, Flag, never>;
  preview_url: string | null;
  duration_seconds: ColumnType<number | null, RawBuilder<unknown> | null, never>;
  error_message: string | null;
  error_code: string | null;
  error_params: string | null;
  user_error_message: string | null;
};

type Flag = boolean | number;
