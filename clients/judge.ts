// Whether a client is served worse through Spillway than by the failing provider itself. Times are compared with a wide
// margin, because the processes share a machine; calls of the provider are exact.

import type { Cell, Side } from './measure-cell.ts';

const MAX_CALL_RATIO = 1.2;
const MAX_TIME_RATIO = 1.5;
/** The time of an agent includes its start. */
const TIME_MARGIN_SECONDS = { sdk: 3, python: 3, agent: 6 } as const;

/** The reasons, none if the cell is as good as direct or better. */
export function defectsOf(cell: Cell): readonly string[] {
  const { direct, gateway, kind } = cell;
  if (isBetter(cell)) return [];
  const allowedSeconds = direct.seconds * MAX_TIME_RATIO + TIME_MARGIN_SECONDS[kind];
  const isLate = gateway.seconds > allowedSeconds;
  const late = `${gateway.seconds.toFixed(0)} s instead of ${direct.seconds.toFixed(0)} s`;
  return [...untimedDefectsOf(cell), ...(isLate ? [late] : [])];
}

/** Without the times, which a busy machine distorts. */
export function untimedDefectsOf(cell: Cell): readonly string[] {
  const { direct, gateway, kind, failure } = cell;
  if (isBetter(cell)) return [];
  const comparesClass = kind !== 'agent' && !OWN_REFUSALS.has(failure);
  const reasons: string[] = [];
  if (RANK[gateway.outcome] < RANK[direct.outcome])
    reasons.push(`${gateway.outcome} instead of ${direct.outcome}`);
  const isSameOutcome = gateway.outcome === 'error' && direct.outcome === 'error';
  if (comparesClass && isSameOutcome && isLessTelling(direct, gateway))
    reasons.push(`class ${gateway.errorClass} instead of ${direct.errorClass}`);
  const comparesCalls = failure !== ENDLESS_FAILURE;
  if (comparesCalls && gateway.calls > Math.floor(direct.calls * MAX_CALL_RATIO))
    reasons.push(`${gateway.calls} provider calls instead of ${direct.calls}`);
  return reasons;
}

/** An answer counts as better than an error, whatever calls and time it took. */
function isBetter({ direct, gateway }: Cell): boolean {
  return gateway.outcome === 'answer' && direct.outcome !== 'answer';
}

/**
 * A budget is Spillway's own, and so is the key that the provider refuses: a class that blames the caller's key would send
 * the user looking for a mistake that is not theirs.
 */
const OWN_REFUSALS: ReadonlySet<string> = new Set(['budget', 'refused-key']);
/**
 * Without an answer a direct client waits five to ten minutes for each of its attempts, and Spillway two: within the time
 * limit the direct client has not made all of its calls.
 */
const ENDLESS_FAILURE = 'hang';

const RANK = { waiting: 0, error: 1, answer: 2 } as const;

/** Programs decide by a class with an error status: the same `catch` must receive it. Status and text may differ. */
function isLessTelling(direct: Side, gateway: Side): boolean {
  const [before = '', after = ''] = [direct.errorClass, gateway.errorClass];
  const isSame = nameOf(before) === nameOf(after) || gateway.ancestors?.includes(nameOf(before));
  return / [45]\d\d/.test(before) && !isSame;
}

function nameOf(errorClass: string): string {
  return errorClass.replaceAll(/ \d+/g, '');
}
