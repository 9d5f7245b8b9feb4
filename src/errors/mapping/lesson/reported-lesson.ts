// The lesson of a failure that a product reports. A key that may report limits is trusted with its own words, and
// command-line clients print no status: the verdict counts. A failure with the status of a request's mistake quotes the
// end user's request, so that only its typed fields and known sentences count.

import type { Verdict } from '../../codes.ts';
import { readFailure } from '../reading/read-failure.ts';
import { type Lesson, lessonOf } from './lesson.ts';

export function reportedLesson(
  failure: unknown,
  verdict: Verdict,
  now: number,
): Pick<Lesson, 'code' | 'retryAfterMs' | 'resetAt'> {
  const { status } = readFailure(failure, {});
  if (status !== undefined && MISTAKES.has(status)) return lessonOf(failure, verdict, { now });
  const { code, retryAfterMs, resetAt } = verdict;
  return { code, retryAfterMs, resetAt };
}

const MISTAKES: ReadonlySet<number> = new Set([400, 404, 413, 422]);
