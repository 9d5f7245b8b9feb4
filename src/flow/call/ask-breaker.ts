// Leave to call a target, from the circuits that concern it: the one of its provider and region, and one of its model
// alone, which is open only while a limit that was bound to the model has not been found to be over. The wider one is
// asked first; a call that is its probe speaks for all models, and the model's own probe then goes after it. Whose
// probe a call is, it is a call to the provider as well and is counted there.

import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerPass,
  CallHealth,
} from '../../resilience/breaker-board.ts';
import type { Target } from '../../routing/target.ts';
import { circuitOf, regionOf } from './provider-limit.ts';
import type { SentAttempt } from './settle-attempt.ts';

/** The pass of a call that goes on as usual; undefined when a circuit must be asked. Nearly always, and nearly free. */
export function usualPass(
  breakers: Pick<BreakerBoard, 'isClosed'>,
  target: Target,
): BreakerPass | undefined {
  const { provider, model } = target;
  const region = regionOf(target);
  const isUsual =
    breakers.isClosed(provider, region) &&
    breakers.isClosed(provider, circuitOf({ region, model }));
  return isUsual ? { provider, region, probe: undefined } : undefined;
}

/** Calls back once. */
export function askBreaker(
  breakers: Pick<BreakerBoard, 'isClosed' | 'ask'>,
  target: Target,
  onAnswer: (answer: BreakerAnswer) => void,
): void {
  const { provider, model } = target;
  const region = regionOf(target);
  const isOfModel = breakers.isClosed(provider, region);
  breakers.ask(provider, isOfModel ? circuitOf({ region, model }) : region, onAnswer);
}

export function reportHealth(
  breakers: Pick<BreakerBoard, 'report'>,
  { target, pass }: Pick<SentAttempt, 'target' | 'pass'>,
  health: CallHealth,
): void {
  breakers.report(pass, health);
  const region = regionOf(target);
  if (pass.region !== region)
    breakers.report({ provider: target.provider, region, probe: undefined }, health);
}
