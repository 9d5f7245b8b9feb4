// Evaluates all alerts on one server of the cluster, the leader: the holder of a lease. While the registry of leases is
// unavailable the last holder continues. `deliver-notices.ts` delivers the messages.
//
//   lease ─▶ firing alerts of the board (after a change of the leader) ─▶ figures ─▶ tracker ─▶ started, ended ─▶ board
//
// While the store is unavailable a leader that knows the firing alerts sends its messages directly and writes them to
// the board later, without notices. The board accepts a start and an end once, so that even two simultaneous leaders
// report each alert once.

import { logFailure } from '../kernel/log.ts';
import type { Alert } from './alert.ts';
import type { NoticePhase } from './alert-board.ts';
import { endText, startText } from './alert-text.ts';
import type { StartedAlert } from './alert-tracker.ts';
import { AlertTracker } from './alert-tracker.ts';
import { budgetAlert, hasBudgetRecovered } from './budget-alerts.ts';
import type { CrossedLevel } from './budget-levels.ts';
import { type EvaluatorParts, noticesOf, sendDirectly } from './evaluator-parts.ts';

type Unsaved = { readonly phase: NoticePhase; readonly alert: Alert; readonly at: number };

const DAY_MS = 86_400_000;
/** A crossing may be committed later than its timestamp says. */
const LATE_COMMIT_MS = 600_000;
const MAX_CROSSINGS = 200;
const MAX_STANDINGS = 200;
const MAX_UNSAVED = 1000;
const MAX_SEEN = 10_000;

export class AlertEvaluator {
  readonly #parts: EvaluatorParts;
  #isLeader = false;
  /** Undefined until the board has been read. */
  #tracker: AlertTracker | undefined;
  #unsaved: Unsaved[] = [];
  #readSince = 0;
  #readLimit = MAX_CROSSINGS;
  /** Crossings that the board has accepted or knew, by id. */
  #seenCrossings = new Set<string>();
  #checked = 0;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** The alerts that fire as far as this server knows; undefined on a server that does not lead. */
  firing(): readonly Alert[] | undefined {
    return this.#isLeader ? this.#tracker?.firing() : undefined;
  }

  async evaluate(signal: AbortSignal): Promise<void> {
    const { figures, clock } = this.#parts;
    figures.observe();
    this.#isLeader = await this.#acquireLease();
    if (!this.#isLeader) {
      this.#tracker = undefined;
      this.#unsaved = [];
      this.#seenCrossings.clear();
      return;
    }
    await this.#saveMissed();
    const tracker = await this.#knownTracker();
    const { started, ended } = tracker.step(await figures.read(), clock.now());
    for (const each of started) await this.#start(tracker, this.#newAlert(each), signal);
    for (const alert of ended) await this.#end(alert, signal);
    await this.#evaluateBudgets(tracker, signal);
  }

  async #acquireLease(): Promise<boolean> {
    try {
      return await this.#parts.acquireLease();
    } catch {
      return this.#isLeader;
    }
  }

  async #knownTracker(): Promise<AlertTracker> {
    if (this.#tracker) return this.#tracker;
    const { board, rules, pace, clock, budgetRules } = this.#parts;
    const tracker = new AlertTracker(rules, pace);
    const enabled = new Set<string>(rules.map(({ name }) => name));
    if (budgetRules) enabled.add('budget-usage');
    for (const alert of await board.firing()) {
      if (enabled.has(alert.name)) tracker.confirm(alert);
      // Its rule was disabled while it fired.
      else await board.end(alert.id, clock.now(), []);
    }
    this.#readSince = clock.now() - DAY_MS;
    this.#tracker = tracker;
    return tracker;
  }

  #newAlert({ rule, subject, value }: StartedAlert): Alert {
    const { newId, clock, serverId } = this.#parts;
    const { name, metric, severity, threshold } = rule;
    return {
      id: newId('alt'),
      name,
      metric,
      subject,
      severity,
      message: startText({ name, subject, value, threshold }),
      value,
      threshold,
      startedAt: clock.now(),
      endedAt: undefined,
      serverId,
      budget: undefined,
    };
  }

  async #start(tracker: AlertTracker, alert: Alert, signal: AbortSignal): Promise<void> {
    tracker.confirm(alert);
    const notices = noticesOf(this.#parts, 'started', alert.message);
    try {
      // Another server has started it: the board is read again.
      if (!(await this.#parts.board.start(alert, notices))) this.#tracker = undefined;
    } catch (cause) {
      this.#keepUnsaved('started', alert, cause);
      await sendDirectly(this.#parts, 'started', alert, alert.message, signal);
    }
  }

  async #end(alert: Alert, signal: AbortSignal): Promise<void> {
    const { board, clock } = this.#parts;
    const text = endText(alert, clock.now());
    try {
      await board.end(alert.id, clock.now(), noticesOf(this.#parts, 'ended', text));
    } catch (cause) {
      this.#keepUnsaved('ended', alert, cause);
      const ended = { ...alert, endedAt: clock.now() };
      await sendDirectly(this.#parts, 'ended', ended, text, signal);
    }
  }

  /** The store is unavailable: the board gets the change later. */
  #keepUnsaved(phase: NoticePhase, alert: Alert, cause: unknown): void {
    const { log, clock } = this.#parts;
    logFailure(log, 'an alert could not be stored; its message is sent directly', cause, {
      level: 'warn',
      metadata: { alert: alert.name, phase },
    });
    if (this.#unsaved.length < MAX_UNSAVED) this.#unsaved.push({ phase, alert, at: clock.now() });
  }

  /** Writes the starts and ends that the board lacks, in order. The next evaluation repeats a failed write. */
  async #saveMissed(): Promise<void> {
    const { board } = this.#parts;
    while (this.#unsaved[0]) {
      const { phase, alert, at } = this.#unsaved[0];
      try {
        if (phase === 'started') await board.start(alert, []);
        else await board.end(alert.id, at, []);
      } catch {
        return;
      }
      this.#unsaved.shift();
    }
  }

  /** Rejects while the store is unavailable. */
  async #evaluateBudgets(tracker: AlertTracker, signal: AbortSignal): Promise<void> {
    const { budgetLevels, budgetRules, clock, serverId } = this.#parts;
    if (!budgetRules) return;
    const now = clock.now();
    const crossed = await budgetLevels.crossedSince(this.#readSince, this.#readLimit);
    for (const level of crossed) {
      const alert = budgetAlert(level, budgetRules, serverId);
      if (!alert || this.#seenCrossings.has(alert.id)) continue;
      const notices = noticesOf(this.#parts, 'started', alert.message);
      const isNew = await this.#parts.board.start(alert, notices);
      if (isNew && alert.endedAt === undefined) tracker.confirm(alert);
      this.#seenCrossings.add(alert.id);
    }
    this.#readOn(crossed, now);
    for (const alert of await this.#recoveredBudgets(tracker, now)) {
      tracker.forget(alert);
      await this.#end(alert, signal);
    }
  }

  /** Sets the start and the size of the next reading. If all rows of a full page have the same timestamp, the next page is larger. */
  #readOn(crossed: readonly CrossedLevel[], now: number): void {
    const isWhole = crossed.length < this.#readLimit;
    const next = isWhole ? now - LATE_COMMIT_MS : (crossed.at(-1)?.createdAt ?? now);
    const isStuck = !isWhole && next <= this.#readSince;
    this.#readLimit = isStuck ? this.#readLimit * 2 : MAX_CROSSINGS;
    this.#readSince = Math.max(this.#readSince, next);
    if (isWhole && this.#seenCrossings.size > MAX_SEEN) this.#seenCrossings.clear();
  }

  /** Checks a part of the firing budget alerts, with each evaluation the next part. */
  async #recoveredBudgets(tracker: AlertTracker, now: number): Promise<readonly Alert[]> {
    const firing = tracker.firing().filter(({ budget }) => budget !== undefined);
    if (firing.length === 0) return [];
    const from = this.#checked % firing.length;
    const part = firing.slice(from, from + MAX_STANDINGS);
    this.#checked = from + part.length;
    const budgets = part.flatMap(({ budget }) => budget ?? []);
    const standings = await this.#parts.budgetLevels.standings(budgets);
    const firingBudgets = new Set(
      standings.filter((each) => !hasBudgetRecovered(each, now)).map(({ budget }) => budget),
    );
    return part.filter(({ budget }) => budget !== undefined && !firingBudgets.has(budget));
  }
}
