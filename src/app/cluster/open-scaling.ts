// The desired replicas as a reading, as metrics, and as a hook: every gateway reads them, one server runs the hook.

import { runCommand } from '../../adapters/process/run-command.ts';
import { postJson } from '../../adapters/undici/post-json.ts';
import type { ReplicaTarget } from '../../cluster/scaling/desired-replicas.ts';
import { createScalingCheck, type ScalingHook } from '../../cluster/scaling/scaling-hook.ts';
import type { ServerRegistry } from '../../cluster/server-registry.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';

export type ScalingParts = {
  readonly serverId: string;
  readonly registry: Pick<ServerRegistry, 'acquireLease'>;
  readonly targets: () => Promise<readonly ReplicaTarget[]>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

const CHECK_INTERVAL_MS = 10_000;
/** Three checks: a server that dies leaves the hook to another one. */
const LEASE_MS = 3 * CHECK_INTERVAL_MS;
const HOOK_TIMEOUT_MS = 30_000;

export function openScaling(config: Config, parts: ScalingParts): void {
  const { clock, log, lifecycle } = parts;
  const setGauges = createGauges(parts.metrics);
  const hook = hookOf(config);
  const check = hook
    ? createScalingCheck({
        targets: parts.targets,
        acquireLease: () => parts.registry.acquireLease('scaling', parts.serverId, LEASE_MS),
        hook,
        cooldownMs: config.scaling.cooldownMs,
        clock,
        log,
      })
    : undefined;
  const checking = every(
    clock,
    CHECK_INTERVAL_MS,
    async (signal) => {
      setGauges(await parts.targets());
      await check?.(signal);
    },
    (cause) => logFailure(log, 'the desired replicas could not be read', cause, { level: 'warn' }),
  );
  lifecycle.onClose('scaling', () => checking.close());
}

/** The command and the webhook both run, if both are configured. */
function hookOf({ scaling }: Config): ScalingHook | undefined {
  const { command, webhookUrl } = scaling;
  if ((command ?? []).length === 0 && webhookUrl === undefined) return undefined;
  return async (targets, signal) => {
    const message = { targets };
    const timeoutMs = HOOK_TIMEOUT_MS;
    const input = JSON.stringify(message);
    if (command && command.length > 0) await runCommand({ command, input, timeoutMs, signal });
    if (webhookUrl !== undefined) await postJson(webhookUrl, message, { timeoutMs, signal });
  };
}

function createGauges(metrics: Metrics): (targets: readonly ReplicaTarget[]) => void {
  const labels = ['role', 'provider'];
  const desired = metrics.gauge('cluster.replicas.desired', 'Servers that the load needs.', labels);
  const current = metrics.gauge('cluster.replicas.current', 'Servers that take work.', labels);
  return (targets) => {
    for (const target of targets) {
      const { role, provider } = target;
      desired.cell(role, provider ?? '').value = target.desired;
      current.cell(role, provider ?? '').value = target.current;
    }
  };
}
