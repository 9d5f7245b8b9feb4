// Budgets and limits of callers. LiteLLM stores its virtual keys and teams in a database, so the file has only the
// budget of the whole proxy, of end users, and the defaults of new keys.

import { monthlyBudget } from '../amounts.ts';
import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, type PeerMap, type Read, textOf } from '../peer-map.ts';

export function readBudgets(settings: PeerMap, context: ImportContext): void {
  const { draft, findings } = context;
  const proxy = readBudget(settings, 'orgs set default --budget', context);
  if (proxy !== undefined) draft.organization('default', { monthlyBudgetUsd: proxy });
  const user = settings.number('max_end_user_budget');
  if (user) {
    const { amount, reason = '' } = monthlyBudget(user.value, undefined) ?? { amount: 0 };
    draft.organization('default', { userMonthlyBudgetUsd: amount });
    findings.changed(user.node, 'orgs set default --user-budget', reason);
  }
  const keys = settings.map('default_key_generate_params');
  if (keys) readKeyDefaults(keys, context);
}

/** New keys of LiteLLM get these values; one key with them is created. */
function readKeyDefaults(defaults: PeerMap, context: ImportContext): void {
  const { draft, findings } = context;
  const budget = readBudget(defaults, 'keys create --budget', context);
  const rpm = defaults.number('rpm_limit');
  const models = defaults.list('models').map(textOf);
  if (rpm) findings.taken(rpm.node, 'keys create --rpm');
  const listed = defaults.get('models');
  if (listed) findings.taken(listed, 'keys create --model');
  draft.keys.push({
    organization: 'default',
    name: 'imported',
    models,
    ...(budget !== undefined && { monthlyBudgetUsd: budget }),
    ...(rpm && { requestsPerMinute: Math.max(1, Math.floor(rpm.value)) }),
  });
  defaults.close(KEY_DEFAULTS);
}

const KEY_DEFAULTS = leftOutKeys({
  'tokens are limited per organisation: spillway orgs set --tpm': 'tpm_limit',
  'concurrent calls are limited per organisation: spillway orgs set --max-concurrent':
    'max_parallel_requests',
  'keys are created with --expires-at': 'duration',
  'Spillway has no such property of a key':
    'team_id user_id metadata tags guardrails permissions aliases config key_alias soft_budget model_max_budget ' +
    'model_rpm_limit model_tpm_limit allowed_cache_controls send_invite_email key_type auto_rotate rotation_interval',
});

/** `max_budget` and `budget_duration` of a map, as US dollars per month. */
function readBudget(source: PeerMap, to: string, { findings }: ImportContext): number | undefined {
  const budget = source.number('max_budget');
  const period = source.text('budget_duration');
  if (!budget) {
    if (period) findings.leftOut(period.node, 'there is no max_budget beside it');
    return undefined;
  }
  const converted = monthlyBudget(budget.value, period?.value);
  if (!converted) {
    for (const read of [budget, period]) leavePeriod(read, findings);
    return undefined;
  }
  const { amount, reason } = converted;
  for (const { node } of [budget, ...(period ? [period] : [])])
    if (reason === undefined) findings.taken(node, to);
    else findings.changed(node, to, reason);
  return amount;
}

function leavePeriod(
  read: Read<number | string> | undefined,
  findings: ImportContext['findings'],
): void {
  if (read) findings.leftOut(read.node, 'budget_duration is not a period such as 30d or 1mo');
}
