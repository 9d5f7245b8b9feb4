// Frame of the rows in which an engine's reply is lost after the engine has done the work: the processes reach the
// engine through a proxy that is cut repeatedly under load.

import type { RowFinding } from '../chaos-row.ts';
import type { Arena } from '../installation/arena.ts';
import type { Addresses } from '../installation/installation-settings.ts';
import { type IsAnswer, openCutProxy } from './cut-proxy.ts';
import { untilServed } from './execute-kills.ts';
import { runJobsUnderFault } from './jobs-under-fault.ts';

export type Cable = {
  readonly to: 'databaseUrl' | 'rabbitmqUrl';
  readonly isAnswer: IsAnswer;
  /** The reply that was cut off, as a phrase for the row's notes. */
  readonly title: string;
};

const STRIKES_WITHIN_MS = 30_000;

export async function cutAnswers(
  arena: Arena,
  { to, isAnswer, title }: Cable,
): Promise<RowFinding> {
  const { dose, engines, signal } = arena;
  const cable = await openCutProxy(engines[to], isAnswer);
  const route = (addresses: Addresses) => ({ ...addresses, [to]: cable.through(addresses[to]) });
  try {
    return await runJobsUnderFault(arena, {
      overrides: { route },
      async inject() {
        for (let time = 1; time <= dose.kills; time += 1) {
          await untilServed(arena, Math.round((dose.jobs * (time - 0.5)) / (dose.kills + 1)));
          arena.progress(`cut ${time} of ${dose.kills}`);
          await cable.cutNext(AbortSignal.any([signal, AbortSignal.timeout(STRIKES_WITHIN_MS)]));
        }
        return [`cut off ${dose.kills} times: ${title}`];
      },
    });
  } finally {
    await cable.close();
  }
}
