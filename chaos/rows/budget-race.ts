// Five times as many concurrent calls as a month's budget covers, over several gateways, while gateways are killed. The
// provider's charges never exceed the budget, every answered call is settled once, and in the end the whole budget is
// spent, because dead gateways' reservations do not block it.

import { type CallOutcome, callMany } from '../callers.ts';
import type { ChaosRow, RowFinding } from '../chaos-row.ts';
import { crewVictims, executeKills } from '../faults/execute-kills.ts';
import type { Arena, Installation } from '../installation/arena.ts';
import { CALL_NANOS } from '../installation/installation-settings.ts';
import { disagreements, isBillable } from '../judge/judge-money.ts';
import { limitViolations } from '../judge/limit-violations.ts';
import { untilNothingHeld } from '../judge/until-ended.ts';

const CALLERS = 40;
const CALLS_PER_PAID = 5;
const LOOK_EVERY_MS = 500;

export const row: ChaosRow = {
  name: 'budget-race',
  title: 'five times the calls that a budget can pay for, while gateways die',
  order: 8,
  isInShort: true,
  async run(arena) {
    const { jobs: count, kills } = arena.dose;
    const paid = Math.floor(count / CALLS_PER_PAID);
    const budgetNanos = paid * CALL_NANOS;
    const installation = await arena.open({
      size: { gateways: 3, dispatchers: 0, workers: 0 },
      settings: { monthlyBudgetUsd: budgetNanos / 1e9 },
    });
    const { crew } = installation;
    arena.progress(`${count} calls for a budget of ${paid}`);
    const [outcomes] = await Promise.all([
      callMany(crew.gateways, { count, callers: CALLERS, signal: arena.signal }),
      executeKills(arena, crewVictims(crew.gateways), paid),
    ]);
    await untilNothingHeld(arena, installation);
    await spendTheRest(arena, installation, budgetNanos);
    const finding = await judge(arena, installation, outcomes, budgetNanos);
    return { ...finding, notes: [`killed ${kills} gateways`, ...finding.notes] };
  },
};

/**
 * Amounts reserved by dead gateways are released, so that in the end every call is made that the budget can pay for.
 */
async function spendTheRest(
  arena: Arena,
  installation: Installation,
  budgetNanos: number,
): Promise<void> {
  const { signal, dose } = arena;
  const deadline = performance.now() + dose.patienceMs;
  while (performance.now() < deadline) {
    const { postedNanos } = await installation.store.money();
    if (postedNanos + CALL_NANOS > budgetNanos) return;
    arena.progress(`${(budgetNanos - postedNanos) / CALL_NANOS} calls are still payable`);
    const asked = { count: CALLERS, callers: CALLERS, signal, pauseMs: LOOK_EVERY_MS };
    await callMany(installation.crew.gateways, asked);
    await untilNothingHeld(arena, installation);
  }
}

async function judge(
  { provider, dose }: Arena,
  { store }: Installation,
  outcomes: readonly CallOutcome[],
  budgetNanos: number,
): Promise<RowFinding> {
  const calls = await provider.calls();
  const billable = calls.filter(isBillable).length;
  const money = await store.money();
  const served = outcomes.filter((each) => each.kind === 'answered' && each.status === 200).length;
  const wrong = disagreements(money);
  const spentNanos = Math.max(billable * CALL_NANOS, money.postedNanos + money.reservedNanos);
  const { perWindow, windowMs } = dose;
  return {
    attempted: outcomes.length,
    acknowledged: served,
    lost: Math.max(0, billable - money.records),
    duplicatedEffects: Math.max(0, money.settled - billable) + wrong.length,
    duplicatedCalls: Math.max(0, billable - served),
    limitViolations: limitViolations(
      calls.map(({ startedAt }) => startedAt),
      perWindow,
      windowMs,
    ),
    overspendNanos: Math.max(0, spentNanos - budgetNanos),
    notes: [`${billable} of ${budgetNanos / CALL_NANOS} payable calls were made`, ...wrong],
    shortcomings:
      money.postedNanos + CALL_NANOS > budgetNanos
        ? []
        : ['every call is made that the budget can pay for'],
  };
}
