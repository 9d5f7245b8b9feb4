// The states of one alert and subject. Pure.
//
//   ok ─over▶ pending ─over for `startAfter` evaluations▶ firing ─clear▶ recovering ─▶ ended (ok again)
//               └─otherwise▶ ok                             ▲               │ clear for `endAfter` evaluations,
//                                                           └─────over──────┘ and fired for `minFiringMs`
//
// Between the threshold and the clear value lies a dead zone, which ends a pending alert and brings a firing one no closer
// to its end, so that a value that oscillates around its threshold starts an alert once and ends it once.

export type Judgement = 'over' | 'near' | 'clear';

export type AlertRule = {
  readonly threshold: number;
  /** The alert ends at this value or beyond it. */
  readonly clearValue: number;
  /** The side of the threshold on which it fires. */
  readonly firesWhen: 'above' | 'below';
};

export type AlertPace = {
  readonly startAfter: number;
  readonly endAfter: number;
  readonly minFiringMs: number;
};

export type AlertState =
  | { readonly phase: 'ok' }
  | { readonly phase: 'pending'; readonly evaluations: number }
  | { readonly phase: 'firing'; readonly startedAt: number }
  | { readonly phase: 'recovering'; readonly startedAt: number; readonly evaluations: number };

export type AlertStep = { readonly state: AlertState; readonly event?: 'started' | 'ended' };

export const OK: AlertState = Object.freeze({ phase: 'ok' });

export function judge(rule: AlertRule, value: number): Judgement {
  const { threshold, clearValue } = rule;
  if (rule.firesWhen === 'below') {
    if (value < threshold) return 'over';
    return value >= clearValue ? 'clear' : 'near';
  }
  if (value > threshold) return 'over';
  return value <= clearValue ? 'clear' : 'near';
}

export function stepAlert(
  state: AlertState,
  judgement: Judgement,
  pace: AlertPace,
  now: number,
): AlertStep {
  switch (state.phase) {
    case 'ok':
      return judgement === 'over' ? rise(1, pace, now) : { state };
    case 'pending':
      return judgement === 'over' ? rise(state.evaluations + 1, pace, now) : { state: OK };
    case 'firing':
      return judgement === 'clear' ? recover(state.startedAt, 1, pace, now) : { state };
    case 'recovering': {
      const { startedAt, evaluations } = state;
      if (judgement === 'over') return { state: { phase: 'firing', startedAt } };
      if (judgement === 'near') return { state };
      return recover(startedAt, evaluations + 1, pace, now);
    }
  }
}

function rise(evaluations: number, { startAfter }: AlertPace, now: number): AlertStep {
  if (evaluations < startAfter) return { state: { phase: 'pending', evaluations } };
  return { state: { phase: 'firing', startedAt: now }, event: 'started' };
}

function recover(
  startedAt: number,
  evaluations: number,
  { endAfter, minFiringMs }: AlertPace,
  now: number,
): AlertStep {
  const isLongEnough = now - startedAt >= minFiringMs;
  if (evaluations < endAfter || !isLongEnough)
    return { state: { phase: 'recovering', startedAt, evaluations } };
  return { state: OK, event: 'ended' };
}
