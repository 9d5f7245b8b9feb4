// Frame of most rows: a load of jobs runs through an installation while a fault is injected; then the provider behaves
// normally, the installation comes to rest, and the judge reads store, queues and truth log.

import type { RowFinding } from '../chaos-row.ts';
import type { Arena, Installation, InstallationOverrides } from '../installation/arena.ts';
import { judgeJobs } from '../judge/judge-jobs.ts';
import { untilEnded } from '../judge/until-ended.ts';
import { type Load, type LoadOptions, sendLoad, usualPace } from '../load.ts';

export type FaultRun = {
  /** Resolves to notes on the injected faults. */
  readonly inject: (installation: Installation) => Promise<readonly string[]>;
  readonly overrides?: InstallationOverrides;
  readonly load?: Partial<Pick<LoadOptions, 'count' | 'perSecond' | 'isRaw'>>;
  /** False where the row deletes the broker's data and with it published results. */
  readonly areResultsPublished?: boolean;
  /** Whether a job may also have ended as a dead letter. */
  readonly mayBeDeadLetters?: boolean;
};

export async function runJobsUnderFault(arena: Arena, options: FaultRun): Promise<RowFinding> {
  const { overrides = {} } = options;
  const dose = { ...arena.dose, ...overrides.dose };
  const installation = await arena.open(overrides);
  arena.progress('jobs under way');
  const [load, done] = await Promise.all([
    sendLoad(installation, {
      count: dose.jobs,
      perSecond: usualPace(dose),
      signal: arena.signal,
      ...options.load,
    }),
    options.inject(installation),
  ]);
  const finding = await judgeLoad({ ...arena, dose }, installation, load, options);
  return { ...finding, notes: [...done, ...finding.notes] };
}

async function judgeLoad(
  arena: Arena,
  installation: Installation,
  load: Load,
  { areResultsPublished = true, mayBeDeadLetters = false }: FaultRun,
): Promise<RowFinding> {
  const { store, ends, crew } = installation;
  await untilEnded(arena, installation, load, { areResultsPublished });
  const finding = judgeJobs({
    load,
    stored: await store.jobs(),
    money: await store.money(),
    calls: await arena.provider.calls(),
    results: ends.results,
    areResultsPublished,
    mayBeDeadLetters,
    dose: arena.dose,
  });
  const exited = crew.all.filter(({ unexpectedExits }) => unexpectedExits > 0);
  const exits = exited.map(
    ({ name, unexpectedExits }) => `${name} exited unexpectedly ${unexpectedExits}×`,
  );
  return { ...finding, notes: [...finding.notes, ...exits] };
}
