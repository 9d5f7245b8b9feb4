// The sentences of alerts, for operators: the fact with its numbers, then what to do, then the section of the runbook.
// They contain names of providers, queues, organisations and users, and never a prompt or a provider's text.

import type { AlertName } from '../kernel/notify/alert-name.ts';
import type { Alert } from './alert.ts';

export type TextFacts = Pick<Alert, 'name' | 'subject' | 'value' | 'threshold'>;

const RUNBOOK = 'docs/runbook.md';

export function runbookOf(name: AlertName): string {
  return `${RUNBOOK}#${name}`;
}

export function startText(facts: TextFacts): string {
  const { fact, remedy } = SENTENCES[facts.name](facts);
  return `${fact} ${remedy} See ${runbookOf(facts.name)}.`;
}

export function endText(facts: Pick<Alert, 'name' | 'subject' | 'startedAt'>, at: number): string {
  const about = facts.subject === undefined ? '' : ` (${facts.subject})`;
  return `Ended after ${seconds((at - facts.startedAt) / 1000)}: ${ENDINGS[facts.name]}${about}.`;
}

type Sentence = { readonly fact: string; readonly remedy: string };

const SENTENCES: Readonly<Record<AlertName, (facts: TextFacts) => Sentence>> = {
  'error-rate': ({ value, threshold }) => ({
    fact: `${percent(value)} of requests fail, more than ${percent(threshold)}.`,
    remedy: 'Look at the errors by code and provider, and move traffic to another provider.',
  }),
  'error-count': ({ value, threshold }) => ({
    fact: `${number(value)} requests a minute fail, more than ${number(threshold)}.`,
    remedy: 'Look at the errors by code and provider.',
  }),
  'circuit-open': ({ subject }) => ({
    fact: `The circuit of ${subject ?? 'a provider'} is open: no call is sent there.`,
    remedy: 'Check the provider’s status page and limits; give aliases a fallback.',
  }),
  'rate-limit-exceeded': ({ value, threshold }) => ({
    fact: `${number(value)} requests a minute are refused by rate limits, more than ${number(threshold)}.`,
    remedy: 'Find the organisation or provider in the log, then raise its limit or queue the work.',
  }),
  'budget-usage': ({ subject, value, threshold }) => ({
    fact: `A monthly budget has passed ${percent(threshold)}: ${percent(value)} is spent (${subject ?? 'unknown'}).`,
    remedy:
      threshold < 1
        ? 'Raise the budget: once it is spent, requests fail with BUDGET_EXCEEDED until the month ends.'
        : 'Raise the budget: until then, or the end of the month, requests fail with BUDGET_EXCEEDED.',
  }),
  'latency-p99': ({ value, threshold }) => ({
    fact: `The slowest 1 % of requests take ${seconds(value)} or longer, more than ${seconds(threshold)}.`,
    remedy: 'Compare latency by provider and model; shorten answers or use a faster model.',
  }),
  'cost-per-request': ({ value, threshold }) => ({
    fact: `A request costs ${usd(value)} on average, more than ${usd(threshold)}.`,
    remedy: 'Look at the spending by model and organisation; check prompts that have grown.',
  }),
  'dead-letters': ({ value }) => ({
    fact:
      value === 1
        ? 'One job or message is a dead letter.'
        : `${number(value)} jobs or messages are dead letters.`,
    remedy: 'Run `spillway dlq list`, fix the cause, then retry or purge them.',
  }),
  'raw-queue-backlog': ({ value, threshold }) => ({
    fact: `${number(value)} messages wait in the raw queue, more than ${number(threshold)}.`,
    remedy: 'Check that a dispatcher runs and that a provider can take jobs.',
  }),
  'oldest-waiting-job': ({ value, threshold }) => ({
    fact: `A job has waited ${seconds(value)} beyond its due time, more than ${seconds(threshold)}.`,
    remedy: 'Start more workers, or raise the provider’s limit if it is the bottleneck.',
  }),
  'delayed-messages': ({ subject, value }) => ({
    fact: `${number(value)} delayed jobs of ${subject ?? 'a queue'} are due and have not come back.`,
    remedy: 'Run `spillway doctor`: it checks the delay queues and their targets.',
  }),
  'no-server': ({ value, threshold }) => ({
    fact: `${number(value)} gateways accept requests, fewer than ${number(threshold)}.`,
    remedy: 'Run `spillway servers list`; start a gateway or end its maintenance.',
  }),
  'credentials-refused': ({ subject }) => ({
    fact: `A provider refuses the key of the account ${subject ?? 'of a provider'}.`,
    remedy: 'Renew the key in the configuration and restart the servers.',
  }),
  'dependency-unavailable': ({ subject }) => ({
    fact: `The ${subject ?? 'dependency'} is unavailable to the reporting server.`,
    remedy: 'Run `spillway doctor` on that server and check the service.',
  }),
};

const ENDINGS: Readonly<Record<AlertName, string>> = {
  'error-rate': 'few requests fail now',
  'error-count': 'few requests fail now',
  'circuit-open': 'the circuit is closed',
  'rate-limit-exceeded': 'few requests are refused by rate limits now',
  'budget-usage': 'the budget was raised or its month is over',
  'latency-p99': 'requests are fast enough again',
  'cost-per-request': 'the average cost of a request is low enough again',
  'dead-letters': 'no dead letters are left',
  'raw-queue-backlog': 'the raw queue is short again',
  'oldest-waiting-job': 'jobs run in time again',
  'delayed-messages': 'delayed jobs come back again',
  'no-server': 'gateways accept requests again',
  'credentials-refused': 'the key is accepted again',
  'dependency-unavailable': 'the dependency is available again',
};

function percent(ratio: number): string {
  return `${number(ratio * 100)} %`;
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function usd(value: number): string {
  return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
}

function seconds(value: number): string {
  if (value < 120) return `${number(value)} s`;
  return value < 7200 ? `${number(value / 60)} min` : `${number(value / 3600)} h`;
}
