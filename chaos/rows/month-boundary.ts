// A month of the organisation ends during calls, on two gateways with clocks ahead so that midnight falls into the row.
// Most of the budget is spent when more calls start than the rest covers; they are still running at midnight, and one
// gateway is killed. Reservations made before midnight, the dead gateway's included, are charged to the old month; the
// new month starts at zero in its own row; neither is overspent.

import { z } from 'zod';
import { type CallOutcome, callMany } from '../callers.ts';
import type { ChaosRow, RowFinding } from '../chaos-row.ts';
import { type Midnight, midnightAt, untilMidnight } from '../faults/midnight.ts';
import { type Arena, type Installation, UNLIMITED_SCENARIO } from '../installation/arena.ts';
import { CALL_NANOS, CALLER_KEY } from '../installation/installation-settings.ts';
import { disagreements, isBillable } from '../judge/judge-money.ts';
import { judgeMonths } from '../judge/judge-months.ts';
import { untilNothingHeld } from '../judge/until-ended.ts';

/** UTC+5:30, so that a budget that used the month of UTC would be detected. */
const TIME_ZONE = 'Asia/Kolkata';
/** Time before midnight to start the processes and spend most of the budget. */
const MIDNIGHT_AFTER_MS = 40_000;
const CALLERS = 20;
/** Calls that the rest of the budget covers shortly before midnight; twice this number is attempted. */
const AT_MIDNIGHT = 20;
const ASKED_BEFORE_MS = 3_000;
const KILLED_BEFORE_MS = 1_000;
/** Calls started before midnight end after it. */
const LONG_CALL_MS = 6_000;
const AFTER_MS = 500;
const CALLS_PER_PAID = 3;
const Budget = z.object({ spentUsd: z.number() });

export const row: ChaosRow = {
  name: 'month-boundary',
  title: "an organisation's month ends during its calls",
  order: 17,
  isInShort: false,
  async run(arena) {
    const { dose } = arena;
    const paid = Math.max(2 * AT_MIDNIGHT, Math.floor(Math.min(dose.jobs / 5, dose.perWindow / 2)));
    const budgetNanos = paid * CALL_NANOS;
    const midnight = midnightAt(Date.now() + MIDNIGHT_AFTER_MS, TIME_ZONE);
    const installation = await arena.open({
      size: { gateways: 2, dispatchers: 0, workers: 0 },
      settings: { monthlyBudgetUsd: budgetNanos / 1e9, timeZone: TIME_ZONE },
      program: new URL('../programs/gateway-ahead.ts', import.meta.url),
      env: { CLOCK_AHEAD_MS: String(midnight.aheadMs) },
    });
    const before = await callBefore(arena, installation, midnight, paid - AT_MIDNIGHT);
    const over = callOver(arena, installation, midnight);
    await untilMidnight(midnight, AFTER_MS, arena.signal);
    const atStartUsd = await spentUsd(installation);
    const after = await callAfter(arena, installation, paid);
    const outcomes = [...before, ...(await over), ...after];
    await untilNothingHeld(arena, installation);
    return judge(arena, installation, { outcomes, midnight, budgetNanos, atStartUsd });
  },
};

/** Spends the budget except for the amount left for midnight. */
async function callBefore(
  arena: Arena,
  { crew }: Installation,
  midnight: Midnight,
  count: number,
): Promise<CallOutcome[]> {
  await arena.provider.play(UNLIMITED_SCENARIO);
  arena.progress(`${count} calls before midnight`);
  const outcomes = await callMany(crew.gateways, { count, callers: CALLERS, signal: arena.signal });
  await untilMidnight(midnight, -ASKED_BEFORE_MS, arena.signal);
  return outcomes;
}

/** Starts calls before midnight that end after it, and kills a gateway in between. */
async function callOver(
  arena: Arena,
  { crew }: Installation,
  midnight: Midnight,
): Promise<CallOutcome[]> {
  await arena.provider.play({ ...UNLIMITED_SCENARIO, latencyMs: LONG_CALL_MS });
  const count = 2 * AT_MIDNIGHT;
  const calling = callMany(crew.gateways, { count, callers: count, signal: arena.signal });
  // The promise is awaited below; without this a failure before that would be an unhandled rejection.
  calling.catch(() => {});
  await untilMidnight(midnight, -KILLED_BEFORE_MS, arena.signal);
  const [, victim] = crew.gateways;
  arena.progress(`kill -9 ${victim?.name}`);
  await victim?.kill();
  victim?.start();
  return calling;
}

/** Starts more calls than the new month can pay for. */
async function callAfter(
  arena: Arena,
  { crew }: Installation,
  paid: number,
): Promise<CallOutcome[]> {
  await arena.provider.play(UNLIMITED_SCENARIO);
  const count = CALLS_PER_PAID * paid;
  arena.progress(`${count} calls after midnight`);
  return callMany(crew.gateways, { count, callers: CALLERS, signal: arena.signal });
}

async function spentUsd({ crew }: Installation): Promise<number> {
  const headers = { 'x-api-key': CALLER_KEY };
  const answer = await fetch(`${crew.gateways[0]?.url}/v1/budget`, { headers });
  return Budget.parse(await answer.json()).spentUsd;
}

type Happened = {
  readonly outcomes: readonly CallOutcome[];
  readonly midnight: Midnight;
  readonly budgetNanos: number;
  /** The spending of the new month at its start. */
  readonly atStartUsd: number;
};

async function judge(
  { provider }: Arena,
  { store }: Installation,
  { outcomes, midnight, budgetNanos, atStartUsd }: Happened,
): Promise<RowFinding> {
  const billable = (await provider.calls()).filter(isBillable);
  const money = await store.money();
  const months = await store.months();
  const served = outcomes.filter((each) => each.kind === 'answered' && each.status === 200).length;
  const callNanos = CALL_NANOS;
  const finding = judgeMonths({ midnight, billable, months, budgetNanos, callNanos });
  const wrong = disagreements(money);
  const underWay = billable.filter(
    ({ startedAt }) => startedAt < midnight.at && startedAt > midnight.at - LONG_CALL_MS,
  ).length;
  return {
    attempted: outcomes.length,
    acknowledged: served,
    lost: Math.max(0, billable.length - money.records),
    duplicatedEffects: Math.max(0, money.settled - billable.length) + wrong.length,
    duplicatedCalls: Math.max(0, billable.length - served),
    limitViolations: 0,
    overspendNanos: finding.overspendNanos,
    notes: [...finding.notes, `${underWay} calls were under way at midnight`, ...wrong],
    shortcomings: [
      ...finding.shortcomings,
      ...(underWay > 0 ? [] : ['calls are under way at midnight']),
      ...(atStartUsd === 0 ? [] : [`the new month begins with nothing spent (${atStartUsd})`]),
    ],
  };
}
