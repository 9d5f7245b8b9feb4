// A call to a target needs a pass from three circuits: its account's, its model's, which only a limit of that model opens,
// and its organisation's at the account, which only failures of that organisation open. They are asked in this order: the
// probe of the account stands for all models and organisations, and a narrower probe follows it. A probe of the model also
// counts as a call of the account.

import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerPass,
  CallHealth,
} from '../../resilience/breaker-board.ts';
import {
  accountCircuit,
  type CircuitKey,
  organizationCircuit,
  withModel,
} from '../../resilience/circuit-key.ts';
import type { Target } from '../../routing/target.ts';

/** The pass if all circuits are closed, as they usually are; undefined when `requestPass` has to decide. */
export function closedPass(
  breakers: Pick<BreakerBoard, 'hasOpen' | 'isClosed'>,
  target: Target,
  organization: string,
): BreakerPass | undefined {
  const key = accountCircuit(target);
  if (!breakers.hasOpen()) return { key, probe: undefined };
  const isClosed =
    breakers.isClosed(key) &&
    breakers.isClosed(withModel(key, target.model)) &&
    breakers.isClosed(organizationCircuit(key, organization));
  return isClosed ? { key, probe: undefined } : undefined;
}

/** Calls back once, unless the call has ended by then; the pass is then given back. */
export function requestPass(
  breakers: Pick<BreakerBoard, 'isClosed' | 'requestPass' | 'report'>,
  target: Target,
  organization: string,
  isEnded: () => boolean,
  onAnswer: (answer: BreakerAnswer) => void,
): void {
  const deliver = (answer: BreakerAnswer): void => {
    if (!isEnded()) return onAnswer(answer);
    if (answer.isAllowed) breakers.report(answer.pass, 'neutral');
  };
  breakers.requestPass(decidingCircuit(breakers, target, organization), deliver, organization);
}

/** The first circuit that is not closed, else the account's. */
function decidingCircuit(
  breakers: Pick<BreakerBoard, 'isClosed'>,
  target: Target,
  organization: string,
): CircuitKey {
  const account = accountCircuit(target);
  if (!breakers.isClosed(account)) return account;
  const model = withModel(account, target.model);
  if (!breakers.isClosed(model)) return model;
  const own = organizationCircuit(account, organization);
  return breakers.isClosed(own) ? account : own;
}

export function reportHealth(
  breakers: Pick<BreakerBoard, 'report'>,
  { target, pass }: { readonly target: Target; readonly pass: BreakerPass },
  organization: string,
  health: CallHealth,
): void {
  breakers.report(pass, health, organization);
  if (pass.key.model === undefined) return;
  breakers.report({ key: accountCircuit(target), probe: undefined }, health, organization);
}

/** Notes a long call in flight, so that its organisation counts as a caller of the account. */
export function reportRunning(
  breakers: Pick<BreakerBoard, 'report'>,
  target: Target,
  organization: string,
): void {
  breakers.report({ key: accountCircuit(target), probe: undefined }, 'neutral', organization);
}
