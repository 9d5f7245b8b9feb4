// Alerts in words: title, state and figure against its threshold, in the unit of the metric.

import type { Alert } from '../../../api/logs.ts';
import {
  countText,
  durationText,
  moneyText,
  percentText,
  rateText,
} from '../../charts/figure-text.ts';

const STATES: Readonly<Record<Alert['state'], string>> = {
  pending: 'about to fire',
  firing: 'fires',
  recovering: 'recovers',
  ended: 'ended',
};

/** The unit of a metric: formats of its value. Metrics without an entry are counts. */
const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  'ai.error.rate': percentText,
  'ai.budget.usage': percentText,
  'ai.latency.p99': secondsText,
  'jobs.oldest_wait': secondsText,
  'ai.cost.per_request': moneyText,
  'ai.error.count': perMinute,
  'ai.rate_limit.exceeded': perMinute,
};

export function alertStateWord({ state }: Alert): string {
  return STATES[state];
}

/** "Error rate", "Circuit open: anthropic us-east". */
export function alertTitle({ name, subject }: Pick<Alert, 'name' | 'subject'>): string {
  const words = name.replaceAll(/[-_.]/g, ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return subject === undefined || subject === '' ? title : `${title}: ${subject}`;
}

/** Most alerts fire above their threshold. */
const COMPARISONS: Readonly<Record<string, string>> = {
  'no-server': 'below',
  'budget-usage': 'from',
};

export function alertFigure({ name, metric, value, threshold }: Alert): string {
  const format = FORMATS[metric] ?? countText;
  return `${format(value)}, fires ${COMPARISONS[name] ?? 'above'} ${format(threshold)}`;
}

function secondsText(seconds: number): string {
  return durationText(seconds * 1000);
}

function perMinute(value: number): string {
  return `${rateText(value)} per minute`;
}
