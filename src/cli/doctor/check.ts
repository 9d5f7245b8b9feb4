// What a check of `spillway doctor` is. A check looks and never changes anything, makes no paid call and contacts
// nothing outside this machine but the services that are configured. One that throws has found something too.
//
// To add one, write `doctor-<what>.ts` with a DoctorCheck and name it in doctor-checks.ts.

import type { ServerClue } from '../../app/find-server.ts';
import type { Config } from '../../config/config.ts';

export type Verdict =
  | { readonly status: 'ok'; readonly sentence: string }
  | { readonly status: 'warning' | 'failed'; readonly sentence: string; readonly mend: string };

export type Finding = Verdict & { readonly name: string };

/** What the checks stand on: the configuration, and whether a server of ours is up. */
export type Ground = {
  readonly config: Config;
  readonly clue: ServerClue;
  readonly isServerUp: boolean;
  readonly now: number;
};

export type DoctorCheck = {
  readonly name: string;
  /** Several verdicts where there are several things; none where there is nothing to look at. */
  look(ground: Ground): Promise<readonly Verdict[]>;
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

export async function runCheck(check: DoctorCheck, ground: Ground): Promise<Finding[]> {
  const { name } = check;
  try {
    return (await check.look(ground)).map((verdict) => ({ name, ...verdict }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ name, ...failed(`This could not be looked at (${reason}).`, UNFORESEEN) }];
  }
}

const UNFORESEEN = 'See what the reason says; if it says nothing to you, report it as a defect.';
