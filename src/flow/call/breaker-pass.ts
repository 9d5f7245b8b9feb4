// A call to a target needs a pass from two circuits: its account's, and its model's, which only a limit of that model opens.
// The account's circuit comes first; its probe stands for all models, and the model's own probe follows it. A probe of the
// model also counts as a call of the account.

import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerPass,
  CallHealth,
} from '../../resilience/breaker-board.ts';
import { accountCircuit, withModel } from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';

/** The pass if both circuits are closed, as they usually are; undefined when `requestPass` has to decide. */
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
