// The progress of jobs as rows for the function of the store that tells the builds, by the rules of sql/job-progress.ts.

import { progressRow, type ToldProgress, toldEvents } from '../sql/job-progress.ts';

export type JobsProgress = ToldProgress & { readonly jobId: string };

export function progressRows(told: readonly JobsProgress[]): readonly object[] {
  return told.flatMap(toRows).map((row, place) => ({ ...row, place }));
}

function toRows(told: JobsProgress) {
  return toldEvents(told).map((event) => {
    const { type, data, isEnd, error } = progressRow(event);
    return {
      of_job: told.jobId,
      told_type: type,
      told_data: JSON.stringify(data),
      told_at: told.at,
      is_end: isEnd,
      ...(error && {
        code: error.code,
        params: JSON.stringify(error.params),
        sentence: error.message,
      }),
    };
  });
}
