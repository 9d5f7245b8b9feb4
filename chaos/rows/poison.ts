// Unreadable messages and jobs that kill their worker, among good ones. Each of them ends as a dead letter with a copy
// on the dead-letter queue; the good jobs all succeed. For a killing job the row kills its worker each time it runs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosRow, RowFinding } from '../chaos-row.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import { type Arena, type Installation, usualScenario } from '../installation/arena.ts';
import { KILLER_MODEL, OUTPUT_TOKENS } from '../installation/installation-settings.ts';
import { submit } from '../load.ts';

const LOOK_EVERY_MS = 200;
const KILLERS = 2;

/** Each is malformed in its own way; the number makes it unique. */
const UNREADABLE: readonly ((number: number) => string)[] = [
  (number) => `{"id":"torn-${number}","prompt":`,
  (number) => JSON.stringify({ prompt: `nameless ${number}` }),
  (number) => JSON.stringify({ id: `empty-${number}` }),
  (number) => JSON.stringify({ id: `typed-${number}`, prompt: 7 }),
  (number) => JSON.stringify({ id: `stranger-${number}`, prompt: 'x', organizationId: 'nobody' }),
  (number) => JSON.stringify([`list-${number}`]),
];

export const row: ChaosRow = {
  name: 'poison',
  title: 'messages that cannot be read, and jobs that kill their workers',
  order: 7,
  isInShort: true,
  async run(arena) {
    const { kills, isShort } = arena.dose;
    // A killing job takes ten workers with it, each of which must be detected as dead first: too slow for every change.
    const killers = isShort ? [] : Array.from({ length: KILLERS }, (_, index) => `killer-${index}`);
    const unreadable = Array.from(
      { length: kills * UNREADABLE.length },
      (_, index) => UNREADABLE[index % UNREADABLE.length]?.(index) ?? '',
    );
    let buried: Buried = { missing: [], notes: [] };
    const finding = await runJobsUnderFault(arena, {
      async inject(installation) {
        await sendPoison(arena, installation, unreadable, killers);
        await killWhoRuns(arena, installation, killers);
        buried = await lookForLetters(arena, installation, unreadable, killers);
        return [`${unreadable.length} unreadable messages`, `${killers.length} killing jobs`];
      },
    });
    return withPoison(finding, unreadable.length + killers.length, buried);
  },
};

type Buried = { readonly missing: readonly string[]; readonly notes: readonly string[] };

function withPoison(finding: RowFinding, poison: number, { missing, notes }: Buried): RowFinding {
  return {
    ...finding,
    attempted: finding.attempted + poison,
    acknowledged: finding.acknowledged + poison,
    lost: finding.lost + missing.length,
    notes: [...finding.notes, ...notes],
  };
}

async function sendPoison(
  { provider, dose, signal }: Arena,
  { ends, names, crew }: Installation,
  unreadable: readonly string[],
  killers: readonly string[],
): Promise<void> {
  await provider.play([usualScenario(dose), { model: KILLER_MODEL, fault: 'hang' }]);
  for (const body of unreadable) await ends.publish(names.raw, body, signal);
  for (const [turn, id] of killers.entries()) {
    const messages = [{ role: 'user', content: id }];
    const request = { max_tokens: OUTPUT_TOKENS, messages };
    const body = JSON.stringify({ id, model: KILLER_MODEL, format: 'anthropic', request });
    await submit({ crew }, body, turn, signal);
  }
}

/** Kills the worker of each killing job until all these jobs have ended. */
async function killWhoRuns(
  arena: Arena,
  { store, crew }: Installation,
  killers: readonly string[],
): Promise<void> {
  const deadline = performance.now() + arena.dose.patienceMs;
  while (killers.length > 0 && performance.now() < deadline) {
    const jobs = (await store.jobs()).filter(({ publicId }) => killers.includes(publicId));
    if (jobs.every(({ state }) => state === 'failed')) return;
    const running = jobs.filter(({ state }) => state === 'running');
    const victims = crew.workers.filter(({ name }) =>
      running.some(({ leaseOwner }) => leaseOwner === name),
    );
    for (const victim of victims) {
      arena.progress(`${victim.name} is killed by its job`);
      await victim.kill();
      victim.start();
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: arena.signal });
  }
}

/** Waits until every poison message has its dead letter, in the store and as a copy on the queue. */
async function lookForLetters(
  { signal, dose }: Arena,
  { store, ends }: Installation,
  unreadable: readonly string[],
  killers: readonly string[],
): Promise<Buried> {
  const deadline = performance.now() + dose.patienceMs;
  for (;;) {
    const bodies = new Set((await store.deadLetters()).map(({ body }) => body));
    const jobs = await store.jobs();
    const alive = killers.filter(
      (id) => jobs.find(({ publicId }) => publicId === id)?.state !== 'failed',
    );
    const missing = [...unreadable.filter((body) => !bodies.has(body)), ...alive];
    const uncopied = unreadable.length + killers.length - ends.deadLetters.length;
    if ((missing.length === 0 && uncopied <= 0) || performance.now() > deadline)
      return {
        missing: [...missing, ...Array.from({ length: Math.max(0, uncopied) }, () => 'copy')],
        notes: missing.slice(0, 3).map((body) => `not a dead letter: ${body}`),
      };
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
