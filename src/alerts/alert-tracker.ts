// The states of all alerts and subjects in the leader's memory. Pure apart from its own map: it turns a reading of
// figures into the alerts that start and end. Pending and recovering states are not shared, so that a change of the leader
// costs some evaluations and never a message.

import type { AlertName } from '../kernel/notify/alert-name.ts';
import { type Alert, alertKey } from './alert.ts';
import type { Figure, FigureReading } from './alert-figures.ts';
import type { NamedRule } from './alert-rules.ts';
import { type AlertPace, type AlertState, judge, OK, stepAlert } from './alert-state.ts';

export type StartedAlert = {
  readonly rule: NamedRule;
  readonly subject: string | undefined;
  readonly value: number;
};

export type AlertChanges = {
  readonly started: readonly StartedAlert[];
  readonly ended: readonly Alert[];
};

/** Subjects come from the configuration; this bounds the memory in case a source lists more. */
const MAX_SUBJECTS = 1000;

type Tracked = { readonly state: AlertState; readonly alert: Alert | undefined };

export class AlertTracker {
  readonly #rules: readonly NamedRule[];
  readonly #pace: AlertPace;
  readonly #tracked = new Map<string, Tracked>();

  constructor(rules: readonly NamedRule[], pace: AlertPace) {
    this.#rules = rules;
    this.#pace = pace;
  }

  /** An alert that fires according to the board, or is about to be stored there. */
  confirm(alert: Alert): void {
    const { startedAt } = alert;
    this.#tracked.set(alertKey(alert), { state: { phase: 'firing', startedAt }, alert });
  }

  forget(alert: Alert): void {
    this.#tracked.delete(alertKey(alert));
  }

  firing(): readonly Alert[] {
    return [...this.#tracked.values()].flatMap(({ alert }) => alert ?? []);
  }

  /** A started alert counts as firing once it is confirmed. */
  step(reading: FigureReading, now: number): AlertChanges {
    const started: StartedAlert[] = [];
    const ended: Alert[] = [];
    for (const rule of this.#rules) {
      const figures = reading.get(rule.name);
      if (!figures) continue;
      for (const { subject, value } of this.#withAbsent(rule.name, figures)) {
        const key = alertKey({ name: rule.name, subject });
        const { state, alert } = this.#tracked.get(key) ?? { state: OK, alert: undefined };
        const next = stepAlert(state, judge(rule, value), this.#pace, now);
        if (next.event === 'started') started.push({ rule, subject, value });
        if (next.event === 'ended' && alert) ended.push(alert);
        this.#remember(key, next.state, alert);
      }
    }
    return { started, ended };
  }

  /** Tracked subjects that the reading does not list have the value 0. */
  #withAbsent(name: AlertName, figures: readonly Figure[]): readonly Figure[] {
    const listed = new Set(figures.map(({ subject }) => alertKey({ name, subject })));
    const prefix = `${name}\n`;
    const absent = [...this.#tracked.keys()]
      .filter((key) => key.startsWith(prefix) && !listed.has(key))
      .map((key) => ({ subject: key.slice(prefix.length) || undefined, value: 0 }));
    return [...figures, ...absent];
  }

  #remember(key: string, state: AlertState, alert: Alert | undefined): void {
    if (state.phase === 'ok') return void this.#tracked.delete(key);
    if (!this.#tracked.has(key) && this.#tracked.size >= MAX_SUBJECTS) return;
    this.#tracked.set(key, { state, alert });
  }
}
