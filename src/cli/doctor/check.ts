// A check of `spillway doctor`. A check changes nothing, makes no paid call and contacts only this machine and the
// configured services. An exception counts as a failed check.
//
// To add a check, write a file with a DoctorCheck in this folder and list it in checks.ts.

import type { ServerLocation } from '../../app/find-server.ts';
import type { Config } from '../../config/config.ts';
import { reasonOf } from '../../kernel/log.ts';

export type Verdict =
  | { readonly status: 'ok'; readonly sentence: string }
  | { readonly status: 'warning' | 'failed'; readonly sentence: string; readonly mend: string };

export type Finding = Verdict & { readonly name: string };

/** The input of all checks. */
export type CheckContext = {
  readonly config: Config;
  readonly location: ServerLocation;
  readonly isServerUp: boolean;
  readonly now: number;
};

export type DoctorCheck = {
  readonly name: string;
  /** One verdict per subject; none if the subject is not configured. */
  inspect(checkContext: CheckContext): Promise<readonly Verdict[]>;
};

export function ok(sentence: string): Verdict {
  return { status: 'ok', sentence };
}

export function warning(sentence: string, mend: string): Verdict {
  return { status: 'warning', sentence, mend };
}

export function failed(sentence: string, mend: string): Verdict {
  return { status: 'failed', sentence, mend };
}

export async function runCheck(check: DoctorCheck, checkContext: CheckContext): Promise<Finding[]> {
  const { name } = check;
  try {
    return (await check.inspect(checkContext)).map((verdict) => ({ name, ...verdict }));
  } catch (error) {
    const sentence = `The check itself failed (${reasonOf(error)}).`;
    return [{ name, ...failed(sentence, UNFORESEEN) }];
  }
}

const UNFORESEEN = 'Fix the cause if the reason names one; otherwise report a defect.';
