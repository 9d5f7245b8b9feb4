// The dependencies of the evaluator, and its two ways to the sinks: notices on the board, or directly.

import type { Clock } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import { type Log, logFailure } from '../kernel/log.ts';
import type { AlertSinkName } from '../kernel/notify/alert-name.ts';
import type { Alert } from './alert.ts';
import type { AlertBoard, Notice, NoticePhase } from './alert-board.ts';
import type { AlertFigures } from './alert-figures.ts';
import type { NamedRule } from './alert-rules.ts';
import type { AlertSink } from './alert-sink.ts';
import type { AlertPace } from './alert-state.ts';
import type { BudgetAlertRules } from './budget-alerts.ts';
import type { BudgetLevels } from './budget-levels.ts';

export type EvaluatorParts = {
  readonly rules: readonly NamedRule[];
  readonly pace: AlertPace;
  /** Undefined if budget alerts are disabled. */
  readonly budgetRules: BudgetAlertRules | undefined;
  readonly figures: AlertFigures;
  readonly board: AlertBoard;
  readonly budgetLevels: BudgetLevels;
  readonly sinks: ReadonlyMap<AlertSinkName, AlertSink>;
  /** Rejects while the registry is unavailable. */
  readonly acquireLease: () => Promise<boolean>;
  readonly serverId: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
};

export function noticesOf(
  { sinks }: Pick<EvaluatorParts, 'sinks'>,
  phase: NoticePhase,
  text: string,
): readonly Notice[] {
  return [...sinks.keys()].map((sink) => ({ phase, sink, text }));
}

/** The message id, the same for every delivery. Standard Webhooks forbids dots in it. */
export function messageId(alertId: string, phase: NoticePhase): string {
  return `msg_${alertId}_${phase}`;
}

/** One delivery per sink, without retries. */
export async function sendDirectly(
  { sinks, log }: Pick<EvaluatorParts, 'sinks' | 'log'>,
  phase: NoticePhase,
  alert: Alert,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const message = { id: messageId(alert.id, phase), phase, text, alert };
  const sending = [...sinks].map(([name, sink]) =>
    sink.send(message, signal).catch((cause: unknown) =>
      logFailure(log, `an alert did not reach its ${name}`, cause, {
        metadata: { alert: alert.name, phase },
      }),
    ),
  );
  await Promise.all(sending);
}
