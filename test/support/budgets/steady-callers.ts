// Callers that repeat one request without a pause, to observe the answers of gateways while an engine fails.

import { type Answer, errorOf } from '../gateway/call-rig.ts';

const AFTER_REFUSAL_MS = 60;

export type SteadyRequest = {
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
};

export class SteadyCallers {
  /** The error codes of all failures. */
  readonly codes = new Set<string>();
  readonly #callers: Promise<void>[] = [];
  readonly #failedSince = new Map<string, number>();
  #longestFailureMs = 0;
  #answers = 0;
  #isOver = false;

  start(request: SteadyRequest): void {
    this.#callers.push(this.#repeat(request));
  }

  get answers(): number {
    return this.#answers;
  }

  /** From the first failure of a caller to its next success. */
  get longestFailureMs(): number {
    return this.#longestFailureMs;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #repeat({ url, apiKey, model }: SteadyRequest): Promise<void> {
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ model, max_tokens: 20, messages });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const caller = `${url} ${this.#callers.length}`;
    while (!this.#isOver) {
      const sentAt = performance.now();
      const response = await fetch(url, { method: 'POST', headers, body });
      const answer = { status: response.status, headers: response.headers };
      this.#count(caller, sentAt, { ...answer, text: await response.text() });
      if (response.status !== 200)
        await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS));
    }
  }

  #count(caller: string, sentAt: number, answer: Answer): void {
    this.#answers += 1;
    if (answer.status !== 200) {
      this.codes.add(errorOf(answer).code);
      if (!this.#failedSince.has(caller)) this.#failedSince.set(caller, sentAt);
      return;
    }
    const since = this.#failedSince.get(caller);
    this.#failedSince.delete(caller);
    if (since === undefined) return;
    this.#longestFailureMs = Math.max(this.#longestFailureMs, performance.now() - since);
  }
}
