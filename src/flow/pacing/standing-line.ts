// Those who are there and wait but a moment more for a limit stand one behind the other, by their moments. Only the first of
// them ask, as many as an answer takes turns to come, so that a full limit is not asked by everybody all the time, and they
// keep their distance of an interval or more: a limit that was used up in a burst is free again in a burst, which is not
// passed on. Who has stood for a second is sent back to whoever brought it, to be looked at, and may come again.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { KeepDistance } from './keep-distance.ts';
import type { LineAnswer, LineQuestion } from './permit-line.ts';

export type StandingLineParts = {
  readonly ask: (question: LineQuestion) => Promise<LineAnswer>;
  readonly keepDistance: KeepDistance;
  /** Between two turns. */
  readonly intervalMs: number;
  readonly clock: Clock;
};

type Stander = {
  readonly question: LineQuestion;
  readonly dueAt: number;
  readonly nearMs: number;
  readonly untilMs: number;
  readonly answer: (answer: LineAnswer) => void;
  isAsking: boolean;
};

const STAND_MS = 1000;
/** An answer may take as long, and turns should not be missed for it. */
const ANSWER_MS = 20;
const MAX_ASKERS = 16;

export class StandingLine {
  readonly #parts: StandingLineParts;
  readonly #standers: Stander[] = [];
  readonly #mostAskers: number;
  #askers = 0;
  #lastDueAt = Number.NEGATIVE_INFINITY;

  constructor(parts: StandingLineParts) {
    this.#parts = parts;
    this.#mostAskers = Math.max(1, Math.min(ANSWER_MS / parts.intervalMs, MAX_ASKERS));
  }

  /** How long the one who comes now would stand, as far as those before it tell. */
  get waitMs(): number {
    return this.#standers.length * this.#parts.intervalMs;
  }

  /** `later` only where it would have to wait longer than `nearMs`; `stay` when the time to stand is over. */
  stand(question: LineQuestion, nearMs: number): Promise<LineAnswer> {
    const { clock } = this.#parts;
    const dueAt = question.dueAt ?? clock.now();
    const untilMs = clock.monotonic() + STAND_MS;
    return new Promise((answer) => {
      const stander = { question, dueAt, nearMs, untilMs, answer, isAsking: false };
      const place = this.#standers.findLastIndex((other) => other.dueAt <= dueAt) + 1;
      this.#standers.splice(place, 0, stander);
      // The same for all who share a signal, so it is there but once.
      question.signal?.addEventListener('abort', this.#sendBack, { once: true });
      if (this.#askers < this.#mostAskers) void this.#askInTurn();
    });
  }

  async #askInTurn(): Promise<void> {
    this.#askers += 1;
    for (let next = this.#next(); next; next = this.#next()) {
      next.isAsking = true;
      this.#leave(next, await this.#askFor(next));
    }
    this.#askers -= 1;
  }

  #next(): Stander | undefined {
    this.#sendBack();
    return this.#standers.find(({ isAsking }) => !isAsking);
  }

  /** Those who have stood too long or are to stop, and for whom nothing is asked just now. */
  readonly #sendBack = (): void => {
    const over = this.#standers.filter((stander) => !stander.isAsking && this.#isOver(stander));
    for (const stander of over) this.#leave(stander, { kind: 'stay', afterMs: 1 });
  };

  #isOver({ question, untilMs }: Stander): boolean {
    return question.signal?.aborted === true || this.#parts.clock.monotonic() >= untilMs;
  }

  async #askFor(stander: Stander): Promise<LineAnswer> {
    const { ask, keepDistance, intervalMs, clock } = this.#parts;
    const { question, dueAt, nearMs } = stander;
    const { signal } = question;
    this.#lastDueAt = Math.max(dueAt, this.#lastDueAt + intervalMs);
    await keepDistance(this.#lastDueAt, intervalMs, signal);
    for (;;) {
      const answer = await ask(question);
      if (answer.kind !== 'later' || answer.afterMs > nearMs) return answer;
      if (this.#isOver(stander)) return { kind: 'stay', afterMs: answer.afterMs };
      await sleep(clock, answer.afterMs, signal).catch(() => {});
    }
  }

  #leave(stander: Stander, answer: LineAnswer): void {
    this.#standers.splice(this.#standers.indexOf(stander), 1);
    stander.answer(answer);
  }
}
