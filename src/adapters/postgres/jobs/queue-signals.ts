// Notifies the consumers of a queue of a new message: directly in this process, by NOTIFY in the others. Only a hint: while
// the session is unavailable nothing is sent, and the consumers find messages by polling. Queues that get a message while
// a NOTIFY is in flight share the next one.

import { createQueueSignals, type QueueSignals } from '../../sql/queue/queue-signals.ts';
import type { RunStatement, SessionListener } from '../connection/session.ts';

const CHANNEL = 'spillway_queue';
const NOTIFY = 'select pg_notify($1, queue) from unnest($2::text[]) as queue';

export type PostgresQueueSignals = QueueSignals & SessionListener;

export function createPostgresQueueSignals(): PostgresQueueSignals {
  const local = createQueueSignals();
  const listened = new Set<string>();
  const pending = new Set<string>();
  let session: { readonly run: RunStatement; readonly backend: number } | undefined;
  let isSending = false;

  async function notifyOthers(): Promise<void> {
    if (!session || isSending || pending.size === 0) return;
    isSending = true;
    const queues = [...pending];
    pending.clear();
    try {
      await session.run(NOTIFY, [CHANNEL, queues]);
    } catch {
      // The session is lost; the consumers poll.
    }
    isSending = false;
    return notifyOthers();
  }

  return {
    notify(queue) {
      local.notify(queue);
      if (!session) return;
      pending.add(queue);
      void notifyOthers();
    },
    listen(queue, fn) {
      listened.add(queue);
      return local.listen(queue, fn);
    },
    async onConnect(run) {
      await run(`listen ${CHANNEL}`);
      const [row] = await run('select pg_backend_pid() as backend');
      session = { run, backend: Number(row?.['backend']) };
      // Notifications may have been missed while there was no session.
      for (const queue of listened) local.notify(queue);
    },
    onNotification({ channel, processId, payload }) {
      if (channel !== CHANNEL || processId === session?.backend) return;
      if (payload !== undefined) local.notify(payload);
    },
    onLost() {
      session = undefined;
      pending.clear();
    },
  };
}
