// Frame of most rows: a load of jobs runs through an installation while a fault is injected; then the provider behaves
// normally, the installation comes to rest, and the judge reads store, queues and truth log.

import type { RowFinding } from '../chaos-row.ts';
import type { Arena, Installation, InstallationWishes } from '../installation/arena.ts';
import { judgeJobs } from '../judge/judge-jobs.ts';
import { untilEnded } from '../judge/until-ended.ts';
import { type Load, type LoadOptions, sendLoad, usualPace } from '../load.ts';

export type Harm = {
  /** Resolves to notes on the injected faults. */
  readonly harm: (installation: Installation) => Promise<readonly string[]>;
  readonly wishes?: InstallationWishes;
  readonly load?: Partial<Pick<LoadOptions, 'count' | 'perSecond' | 'isRaw'>>;
  /** False where the row deletes the broker's data and with it published results. */
  readonly areResultsTold?: boolean;
  /** Whether a job may also have ended as a dead letter. */
  readonly mayBeDeadLetters?: boolean;
};

export async function harmJobs(arena: Arena, options: Harm): Promise<RowFinding> {
  const { wishes = {} } = options;
  const dose = { ...arena.dose, ...wishes.dose };
  const installation = await arena.open(wishes);
  arena.progress('jobs under way');
  const [load, done] = await together(
    sendLoad(installation, {
      count: dose.jobs,
      perSecond: usualPace(dose),
      signal: arena.signal,
      ...options.load,
    }),
    options.harm(installation),
  );
  const finding = await judgeLoad({ ...arena, dose }, installation, load, options);
  return { ...finding, notes: [...done, ...finding.notes] };
}

async function judgeLoad(
  arena: Arena,
  installation: Installation,
  load: Load,
  { areResultsTold = true, mayBeDeadLetters = false }: Harm,
): Promise<RowFinding> {
  const { store, ends, crew } = installation;
  await untilEnded(arena, installation, load, { areResultsTold });
  const finding = judgeJobs({
    load,
    stored: await store.jobs(),
    money: await store.money(),
    calls: await arena.provider.calls(),
    results: ends.results,
    areResultsTold,
    mayBeDeadLetters,
    dose: arena.dose,
  });
  const fallen = crew.all.filter(({ endedByItself }) => endedByItself > 0);
  const exits = fallen.map(
    ({ name, endedByItself }) => `${name} ended by itself ${endedByItself}×`,
  );
  return { ...finding, notes: [...finding.notes, ...exits] };
}

/** Resolves with both results; rejects at the first failure without waiting for the other. */
async function together<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  return Promise.all([first, second]);
}
