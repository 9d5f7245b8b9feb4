// The table of alerts: metric, severity and threshold of each rule, from the settings. The budget alert is not in it,
// because the store detects the crossing of its thresholds (budget-alerts.ts).

import type { AlertName } from '../kernel/notify/alert-name.ts';
import type { AlertSeverity } from './alert.ts';
import type { AlertRule } from './alert-state.ts';

export type AlertThresholds = {
  readonly errorRate: number;
  readonly errorsPerMinute: number;
  readonly rateLimitsPerMinute: number;
  readonly latencyP99Ms: number;
  readonly costPerRequestUsd: number;
  readonly deadLetters: number;
  readonly rawBacklog: number;
  readonly oldestJobMs: number;
  readonly overdueJobs: number;
  readonly minServers: number;
  /** An alert ends when its value falls to this share of its threshold. */
  readonly clearRatio: number;
};

export type NamedRule = AlertRule & {
  readonly name: RuleName;
  readonly metric: string;
  readonly severity: AlertSeverity;
};

export type RuleName = Exclude<AlertName, 'budget-usage'>;

export const BUDGET_METRIC = 'ai.budget.usage';

type Row = {
  readonly metric: string;
  readonly severity: AlertSeverity;
  readonly firesWhen?: 'below';
  readonly threshold: (thresholds: AlertThresholds) => number;
};

const TABLE: Readonly<Record<RuleName, Row>> = {
  'error-rate': {
    metric: 'ai.error.rate',
    severity: 'critical',
    threshold: ({ errorRate }) => errorRate,
  },
  'error-count': {
    metric: 'ai.error.count',
    severity: 'warning',
    threshold: ({ errorsPerMinute }) => errorsPerMinute,
  },
  'circuit-open': {
    metric: 'ai.circuit_breaker.open',
    severity: 'critical',
    threshold: () => 0,
  },
  'rate-limit-exceeded': {
    metric: 'ai.rate_limit.exceeded',
    severity: 'warning',
    threshold: ({ rateLimitsPerMinute }) => rateLimitsPerMinute,
  },
  'latency-p99': {
    metric: 'ai.latency.p99',
    severity: 'warning',
    threshold: ({ latencyP99Ms }) => latencyP99Ms / 1000,
  },
  'cost-per-request': {
    metric: 'ai.cost.per_request',
    severity: 'warning',
    threshold: ({ costPerRequestUsd }) => costPerRequestUsd,
  },
  'dead-letters': {
    metric: 'jobs.dead_letters',
    severity: 'warning',
    threshold: ({ deadLetters }) => deadLetters,
  },
  'raw-queue-backlog': {
    metric: 'jobs.raw_queue.depth',
    severity: 'warning',
    threshold: ({ rawBacklog }) => rawBacklog,
  },
  'oldest-waiting-job': {
    metric: 'jobs.oldest_wait',
    severity: 'warning',
    threshold: ({ oldestJobMs }) => oldestJobMs / 1000,
  },
  'delayed-messages': {
    metric: 'jobs.delayed.overdue',
    severity: 'critical',
    threshold: ({ overdueJobs }) => overdueJobs,
  },
  'no-server': {
    metric: 'cluster.servers.available',
    severity: 'critical',
    firesWhen: 'below',
    threshold: ({ minServers }) => minServers,
  },
  'credentials-refused': {
    metric: 'ai.credentials.refused',
    severity: 'critical',
    threshold: () => 0,
  },
  'dependency-unavailable': {
    metric: 'cluster.dependency.unavailable',
    severity: 'critical',
    threshold: () => 0,
  },
};

/** The rules in force, without the disabled ones. */
export function alertRules(
  thresholds: AlertThresholds,
  disabled: readonly AlertName[] = [],
): readonly NamedRule[] {
  return RULE_NAMES.filter((name) => !disabled.includes(name)).map((name) =>
    toRule(name, thresholds),
  );
}

export function metricOf(name: AlertName): string {
  return name === 'budget-usage' ? BUDGET_METRIC : TABLE[name].metric;
}

const RULE_NAMES = Object.keys(TABLE).filter(isRuleName);

function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(TABLE, name);
}

function toRule(name: RuleName, thresholds: AlertThresholds): NamedRule {
  const { metric, severity, firesWhen = 'above', threshold: read } = TABLE[name];
  const threshold = read(thresholds);
  const clearValue = firesWhen === 'below' ? threshold : threshold * thresholds.clearRatio;
  return { name, metric, severity, firesWhen, threshold, clearValue };
}
