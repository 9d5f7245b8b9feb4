// The events of jobs as rows for the functions of the store, which keep them and tell them to the builds, by the rules of
// sql/job-progress.ts. What the build is told is said only where it differs from what is kept.

import type { NewJobEvent } from '../../jobs/job-history.ts';
import { progressRow } from '../sql/job-progress.ts';

export type JobsEvents = {
  readonly jobId: string;
  readonly events: readonly NewJobEvent[];
  readonly at: number;
};

export function eventRows(told: readonly JobsEvents[]): readonly object[] {
  const rows: object[] = [];
  for (const { jobId, events, at } of told)
    for (const [index, event] of events.entries()) {
      const place = { of_job: jobId, place: rows.length, behind: events.length - 1 - index, at };
      rows.push({ ...place, ...toRow(event) });
    }
  return rows;
}

function toRow(event: NewJobEvent): object {
  const { type, data } = event;
  const { isEnd, data: told, error } = progressRow(event);
  return {
    kind: type,
    ...(data && { data: JSON.stringify(data) }),
    ...(isEnd && { is_end: true }),
    ...(error && {
      told_data: JSON.stringify(told),
      code: error.code,
      params: JSON.stringify(error.params),
      sentence: error.message,
    }),
  };
}
