// Stops and resumes the work of this server while the process keeps running: when an operator drains it, and while another
// process has its id. A draining server reports it immediately (readiness, registry, `Connection: close`), consumes no queue, and
// still answers calls for a grace period, until load balancers have noticed; then it refuses them.

import type { ServerMode } from '../../cluster/server-record.ts';
import type { RequestSlots } from '../../flow/serve/request-slots.ts';
import type { HttpServer } from '../../http/listener/server-listener.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { PausableWork } from '../../kernel/pausable-work.ts';
import type { ServerReadiness } from '../readiness.ts';

export type DrainControlParts = {
  readonly readiness: ServerReadiness;
  readonly slots: RequestSlots;
  readonly http: Pick<HttpServer, 'setDraining'>;
  readonly pipeline: PausableWork | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

export type DrainControl = {
  onMode(mode: ServerMode): void;
  onDisplaced(isDisplaced: boolean): void;
};

/** Longer than the interval of most health checks. */
const GRACE_MS = 5000;

export function createDrainControl(parts: DrainControlParts): DrainControl {
  const { readiness, slots, http, pipeline, clock, log } = parts;
  let isDrained = false;
  let isDisplaced = false;
  let cancelRefusal: CancelTimer = () => {};

  function apply(graceMs: number): void {
    const isStopped = isDrained || isDisplaced;
    cancelRefusal();
    readiness.setDrained(isDrained);
    readiness.setDisplaced(isDisplaced);
    http.setDraining(isStopped);
    if (!isStopped) slots.resume();
    else if (graceMs === 0) slots.pause();
    else cancelRefusal = clock.after(graceMs, () => slots.pause());
    const changed = isStopped ? pipeline?.pause() : pipeline?.resume();
    changed?.catch((cause: unknown) =>
      logFailure(log, 'the consumers of queues could not be changed', cause),
    );
  }

  return {
    onMode(mode) {
      const wasDrained = isDrained;
      isDrained = mode === 'draining';
      if (isDrained !== wasDrained) apply(GRACE_MS);
      log.write({ level: 'info', type: 'capacity', message: `server mode is ${mode}` });
    },
    onDisplaced(displaced) {
      isDisplaced = displaced;
      apply(0);
    },
  };
}
