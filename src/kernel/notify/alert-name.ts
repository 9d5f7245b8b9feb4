// The names of the alerts, for the rules, the settings and the sections of the runbook.

export const ALERT_NAMES = [
  'error-rate',
  'error-count',
  'circuit-open',
  'rate-limit-exceeded',
  'budget-usage',
  'latency-p99',
  'cost-per-request',
  'dead-letters',
  'raw-queue-backlog',
  'oldest-waiting-job',
  'delayed-messages',
  'no-server',
  'credentials-refused',
  'dependency-unavailable',
] as const;

export type AlertName = (typeof ALERT_NAMES)[number];

export const ALERT_SINK_NAMES = ['log', 'webhook', 'slack'] as const;

export type AlertSinkName = (typeof ALERT_SINK_NAMES)[number];
