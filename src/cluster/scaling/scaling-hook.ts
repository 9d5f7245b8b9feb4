// Runs the configured hook when the desired replicas change. One server of the cluster runs it: the holder of a lease. After
// a run the hook is not run for the cool-down; then the latest targets are sent, if they have changed. A failed hook is
// logged and sent again after the cool-down.

import type { Clock } from '../../kernel/clock.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { ReplicaTarget } from './desired-replicas.ts';

export type ScalingHook = (targets: readonly ReplicaTarget[], signal: AbortSignal) => Promise<void>;

export type ScalingRunnerParts = {
  readonly targets: () => Promise<readonly ReplicaTarget[]>;
  readonly acquireLease: () => Promise<boolean>;
  readonly hook: ScalingHook;
  readonly cooldownMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * One check: calls the hook if this server holds the lease, the targets differ from the last run, and the cool-down is
 * over.
 */
export function createScalingCheck(
  parts: ScalingRunnerParts,
): (signal: AbortSignal) => Promise<void> {
  const { clock, cooldownMs } = parts;
  let sent = '';
  let coolAtMs = Number.NEGATIVE_INFINITY;

  return async (signal) => {
    if (!(await parts.acquireLease())) {
      // Another server runs the hook; if this server gets the lease, it sends the targets again.
      sent = '';
      return;
    }
    if (clock.monotonic() < coolAtMs) return;
    const targets = await parts.targets();
    const changed = targets.filter(({ current, desired }) => current !== desired);
    const signature = signatureOf(changed);
    if (changed.length === 0 || signature === sent) return;
    coolAtMs = clock.monotonic() + cooldownMs;
    try {
      await parts.hook(changed, signal);
      sent = signature;
      log(parts.log, changed);
    } catch (cause) {
      sent = '';
      logFailure(parts.log, 'the scaling hook failed; it runs again after the cool-down', cause);
    }
  };
}

function signatureOf(targets: readonly ReplicaTarget[]): string {
  return targets
    .map(({ role, provider, current, desired }) => `${role}/${provider}:${current}>${desired}`)
    .join(' ');
}

function log(to: Log, targets: readonly ReplicaTarget[]): void {
  to.write({
    level: 'info',
    type: 'capacity',
    message: 'the scaling hook was run',
    metadata: { targets },
  });
}
