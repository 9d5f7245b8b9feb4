// The events of jobs as rows for the functions of the store, which keep them and tell them to the builds, by the rules of
// sql/job-progress.ts. What the build is told is said only where it differs from what is kept.

import type { NewJobEvent } from '../../../jobs/ports/job-history.ts';
import { progressRow } from '../../sql/jobs/job-progress.ts';
import type { CompositeValue } from '../statements/composite-array.ts';

export type JobsEvents = {
  readonly jobId: string;
  readonly events: readonly NewJobEvent[];
  readonly at: number;
};

/** Rows of `job_event`. */
export function eventRows(told: readonly JobsEvents[]): readonly (readonly CompositeValue[])[] {
  const rows: (readonly CompositeValue[])[] = [];
  for (const { jobId, events, at } of told) {
    let behind = events.length;
    for (const event of events) {
      behind -= 1;
      rows.push([jobId, rows.length, behind, ...toFields(event, at)]);
    }
  }
  return rows;
}

function toFields(event: NewJobEvent, at: number): readonly CompositeValue[] {
  const { type, data } = event;
  const kept = data && JSON.stringify(data);
  const { isEnd, data: told, error } = progressRow(event);
  if (!error) return [type, kept, at, null, isEnd, null, null, null];
  const { code, params, message } = error;
  return [type, kept, at, JSON.stringify(told), isEnd, code, JSON.stringify(params), message];
}
