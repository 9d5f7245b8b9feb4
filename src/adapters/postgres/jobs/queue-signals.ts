// Tells the consumers of a queue that something was put on it, in this process at once and in the others by a
// notification. Only a hint: while the session is away nothing is told, and the consumers find messages by looking
// now and then. What was put on a queue while one hint is under way is told by the next.

import { createQueueSignals, type QueueSignals } from '../../sql/queue/queue-signals.ts';
import type { RunStatement, SessionListener } from '../connection/session.ts';

const CHANNEL = 'spillway_queue';
const NOTIFY = 'select pg_notify($1, queue) from unnest($2::text[]) as queue';

export type PostgresQueueSignals = QueueSignals & SessionListener;

export function createPostgresQueueSignals(): PostgresQueueSignals {
  const local = createQueueSignals();
  const listened = new Set<string>();
  const untold = new Set<string>();
  let session: { readonly run: RunStatement; readonly backend: number } | undefined;
  let isTelling = false;

  async function tellOthers(): Promise<void> {
    if (!session || isTelling || untold.size === 0) return;
    isTelling = true;
    const queues = [...untold];
    untold.clear();
    try {
      await session.run(NOTIFY, [CHANNEL, queues]);
    } catch {
      // The session is lost; whoever listens looks for itself.
    }
    isTelling = false;
    return tellOthers();
  }

  return {
    notify(queue) {
      local.notify(queue);
      if (!session) return;
      untold.add(queue);
      void tellOthers();
    },
    listen(queue, fn) {
      listened.add(queue);
      return local.listen(queue, fn);
    },
    async onConnect(run) {
      await run(`listen ${CHANNEL}`);
      const [row] = await run('select pg_backend_pid() as backend');
      session = { run, backend: Number(row?.['backend']) };
      // Whatever was told while nobody could hear it.
      for (const queue of listened) local.notify(queue);
    },
    onNotification({ channel, processId, payload }) {
      if (channel !== CHANNEL || processId === session?.backend) return;
      if (payload !== undefined) local.notify(payload);
    },
    onLost() {
      session = undefined;
      untold.clear();
    },
  };
}
