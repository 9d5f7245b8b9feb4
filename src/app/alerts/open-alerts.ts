// Opens the alerts: every server reads the figures, the leader evaluates and delivers. The leader is the holder of a
// lease in the registry, as for the scaling hook.

import { createHmac } from 'node:crypto';
import { createSlackSink, createWebhookSink } from '../../adapters/undici/alert-sinks.ts';
import { ALERT_SEVERITIES } from '../../alerts/alert.ts';
import { AlertEvaluator } from '../../alerts/alert-evaluator.ts';
import { alertRules } from '../../alerts/alert-rules.ts';
import type { AlertSink } from '../../alerts/alert-sink.ts';
import { runbookOf } from '../../alerts/alert-text.ts';
import { deliverNotices } from '../../alerts/deliver-notices.ts';
import { createLogSink } from '../../alerts/log-sink.ts';
import type { ServerRegistry } from '../../cluster/server-registry.ts';
import type { Config } from '../../config/config.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { adminAlertRoutes } from '../../http/routes/admin-alerts.ts';
import type { Clock } from '../../kernel/clock.ts';
import { every } from '../../kernel/every.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { type Log, logFailure } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { AlertSinkName } from '../../kernel/notify/alert-name.ts';
import type { Store } from '../open/open-store.ts';
import { type FigureSources, openFigures } from './open-figures.ts';

export type AlertContext = Omit<FigureSources, 'store'> & {
  readonly serverId: string;
  readonly registry: Pick<ServerRegistry, 'acquireLease'>;
  readonly store: Store;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type OpenedAlerts = { routes(gate: Pick<Gate, 'requireAdmin'>): RegisterRoutes };

const MIN_LEASE_MS = 3000;
const PRUNE_INTERVAL_MS = 3_600_000;

export function openAlerts(config: Config, context: AlertContext): OpenedAlerts {
  const { store } = context;
  const webhookSecret = config.alerts.webhookSecret ?? secretOf(config, store);
  if (config.alerts.enabled) startAlerts(config, context, webhookSecret);
  return {
    routes: (gate) => adminAlertRoutes({ board: store.alerts, webhookSecret, gate }),
  };
}

function startAlerts(config: Config, context: AlertContext, webhookSecret: string): void {
  const { store, clock, log, lifecycle, metrics } = context;
  const { intervalMs } = config.alerts;
  const sinks = openSinks(config, webhookSecret, { clock, log });
  const evaluator = openEvaluator(config, context, sinks);
  showFiring(metrics, evaluator);
  const deliveryOutage = createOutageLog(log, 'alerts cannot be delivered; they wait');
  const evaluationOutage = createOutageLog(log, 'alerts cannot be evaluated');
  const delivering = every(clock, intervalMs, (signal) =>
    deliveryOutage.watch(async () => {
      if (evaluator.isLeader)
        await deliverNotices({ board: store.alerts, sinks, clock, log }, signal);
    }),
  );
  const evaluating = every(clock, intervalMs, (signal) =>
    evaluationOutage.watch(async () => {
      await evaluator.evaluate(signal);
      // Not awaited, so that a slow sink does not delay the next evaluation.
      void delivering.runNow();
    }),
  );
  const pruning = every(clock, PRUNE_INTERVAL_MS, async () => {
    if (evaluator.isLeader) await store.alerts.prune(clock.now() - config.retention.alertsMs);
  });
  lifecycle.onClose('alerts', async () => {
    await Promise.all([evaluating.close(), delivering.close(), pruning.close()]);
  });
}

function openEvaluator(
  config: Config,
  context: AlertContext,
  sinks: ReadonlyMap<AlertSinkName, AlertSink>,
): AlertEvaluator {
  const { store, registry, clock, log, serverId } = context;
  const { intervalMs, disabled, budgetPercents, budgetFiringPercent } = config.alerts;
  const leaseMs = Math.max(MIN_LEASE_MS, 3 * intervalMs);
  return new AlertEvaluator({
    rules: alertRules(config.alerts, disabled),
    pace: config.alerts,
    budgetRules: disabled.includes('budget-usage')
      ? undefined
      : { percents: budgetPercents, firingPercent: budgetFiringPercent },
    figures: openFigures(config, context),
    board: store.alerts,
    budgetLevels: store.budgetLevels,
    sinks,
    acquireLease: () => registry.acquireLease('alerts', serverId, leaseMs),
    serverId,
    clock,
    newId,
    log,
  });
}

function showFiring(metrics: Metrics, evaluator: AlertEvaluator): void {
  const firing = metrics.gauge(
    'alerts.firing',
    'Alerts that fire, at the server that reports them.',
    ['severity'],
  );
  metrics.onCollect(() => {
    const known = evaluator.firing() ?? [];
    for (const severity of ALERT_SEVERITIES)
      firing.cell(severity).value = known.filter((alert) => alert.severity === severity).length;
  });
}

/** Logs the first failure of an outage, and none of the following ones. */
function createOutageLog(log: Log, message: string) {
  let isFailing = false;
  return {
    async watch(work: () => Promise<void>): Promise<void> {
      try {
        await work();
        isFailing = false;
      } catch (cause) {
        if (!isFailing) logFailure(log, message, cause, { level: 'warn' });
        isFailing = true;
      }
    },
  };
}

function openSinks(
  { alerts }: Config,
  secret: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): ReadonlyMap<AlertSinkName, AlertSink> {
  const { webhookUrl, slackUrl } = alerts;
  const sinks = new Map<AlertSinkName, AlertSink>([['log', createLogSink(log)]]);
  if (webhookUrl !== undefined)
    sinks.set('webhook', createWebhookSink({ url: webhookUrl, secret, clock, runbookOf }));
  if (slackUrl !== undefined) sinks.set('slack', createSlackSink({ url: slackUrl }));
  return sinks;
}

/** The same at all servers of the installation. */
function secretOf({ auth }: Config, store: Store): string {
  const key = createHmac('sha256', auth.hashKey ?? store.identity.hashKey).update('alert webhook');
  return `whsec_${key.digest('base64')}`;
}
