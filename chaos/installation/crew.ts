// The processes of an installation, by role. The first gateway migrates the store and configures the organisation; the
// others start afterwards in parallel.

import { freePort } from '../../bench/processes/free-port.ts';
import { Member } from './member.ts';

export type CrewSize = {
  readonly gateways: number;
  readonly dispatchers: number;
  readonly workers: number;
};

export type Crew = {
  readonly gateways: readonly Member[];
  readonly dispatchers: readonly Member[];
  readonly workers: readonly Member[];
  readonly all: readonly Member[];
};

export type CrewPlace = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program of every process; by default the command line. */
  readonly program?: URL | undefined;
  /** Runs at the first gateway before the other processes start. */
  readonly prepare: (url: string, signal: AbortSignal) => Promise<void>;
};

const READY_WITHIN_MS = 60_000;

export async function startCrew(
  size: CrewSize,
  place: CrewPlace,
  signal: AbortSignal,
): Promise<Crew> {
  const { prepare, ...own } = place;
  const make = async (role: string, count: number, args: readonly string[]): Promise<Member[]> => {
    const members: Member[] = [];
    for (let number = 1; number <= count; number += 1)
      members.push(new Member({ ...own, name: `${role}-${number}`, args, port: await freePort() }));
    return members;
  };
  const gateways = await make('gateway', size.gateways, ['gateway']);
  const dispatchers = await make('dispatcher', size.dispatchers, ['dispatcher']);
  const workers = await make('worker', size.workers, ['worker', '--provider', 'anthropic']);
  const crew = { gateways, dispatchers, workers, all: [...gateways, ...dispatchers, ...workers] };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]);
    await startAll(crew.all, prepare, limit);
  } catch (error) {
    await endCrew(crew);
    throw error;
  }
  return crew;
}

/** SIGKILL: the row has read everything it needs by then. */
export async function endCrew({ all }: Crew): Promise<void> {
  await Promise.all(all.map((member) => member.kill()));
}

async function startAll(
  [first, ...others]: readonly Member[],
  prepare: CrewPlace['prepare'],
  signal: AbortSignal,
): Promise<void> {
  if (!first) return;
  first.start();
  await untilReady(first, signal);
  await prepare(first.url, signal);
  for (const member of others) member.start();
  await Promise.all(others.map((member) => untilReady(member, signal)));
}

async function untilReady(member: Member, signal: AbortSignal): Promise<void> {
  try {
    await member.untilReady(signal);
  } catch (cause) {
    throw new Error(`${member.name} did not become ready: ${member.logTail()}`, { cause });
  }
}
