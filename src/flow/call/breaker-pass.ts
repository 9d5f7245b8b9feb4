// A pass to call a target comes from two circuits: the one of its account, and the one of its model, which opens only for a
// limit of that model. The account's circuit is asked first; its probe speaks for all models, and the model's own probe
// follows it. A probe of the model is also counted as a call of the account.

import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerPass,
  CallHealth,
} from '../../resilience/breaker-board.ts';
import { accountCircuit, withModel } from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';

/** The pass of a call whose circuits are both closed, nearly always; undefined when `requestPass` has to decide. */
export function closedPass(
  breakers: Pick<BreakerBoard, 'isClosed'>,
  target: Target,
): BreakerPass | undefined {
  const key = accountCircuit(target);
  const isClosed = breakers.isClosed(key) && breakers.isClosed(withModel(key, target.model));
  return isClosed ? { key, probe: undefined } : undefined;
}

/** Calls back once. */
export function requestPass(
  breakers: Pick<BreakerBoard, 'isClosed' | 'requestPass'>,
  target: Target,
  onAnswer: (answer: BreakerAnswer) => void,
): void {
  const key = accountCircuit(target);
  const isOfModel = breakers.isClosed(key);
  breakers.requestPass(isOfModel ? withModel(key, target.model) : key, onAnswer);
}

export function reportHealth(
  breakers: Pick<BreakerBoard, 'report'>,
  { target, pass }: { readonly target: Target; readonly pass: BreakerPass },
  health: CallHealth,
): void {
  breakers.report(pass, health);
  if (pass.key.model === undefined) return;
  breakers.report({ key: accountCircuit(target), probe: undefined }, health);
}
