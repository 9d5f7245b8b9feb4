// The connections to one server: N keep-alive connections in a closed loop (each sends its next request after the whole
// answer), and the counts since the last report. A run starts and ends with no request in flight, so that the CPU time
// read around it belongs to exactly the counted requests.

import { Histogram } from './histogram.ts';
import type { Answer } from './load-connection.ts';
import { LoadConnection, type NextRequest } from './load-connection.ts';
import type { LoadPlan, LoadReport } from './load-order.ts';

export class LoadSet {
  readonly #firstByte = new Histogram();
  readonly #whole = new Histogram();
  #connections: readonly LoadConnection[] = [];
  #completed = 0;
  #failed = 0;
  #elapsedMs = 0;
  #firstFailure: string | undefined;
  /** The key rotation continues across reconnects, so that every key is used. */
  #turn = 0;

  /** Opens fresh connections: the server may have closed idle ones. */
  async open(plan: LoadPlan): Promise<void> {
    for (const connection of this.#connections) connection.close();
    const opening = Array.from({ length: plan.count }, () =>
      LoadConnection.open(plan.port, this.#requestsOf(plan), plan.expectedBytes),
    );
    this.#connections = await Promise.all(opening);
  }

  async run(seconds: number, spreadMs: number): Promise<void> {
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1_000;
    const stepMs = spreadMs / this.#connections.length;
    await Promise.all(
      this.#connections.map((connection, index) => this.#loop(connection, endsAt, index * stepMs)),
    );
    this.#elapsedMs += performance.now() - startedAt;
  }

  /** Sends one request on every connection, counted only if it fails, and waits for that part of each answer. */
  async sendOne(until: 'first-byte' | 'end'): Promise<void> {
    await Promise.all(this.#connections.map((connection) => this.#sendOne(connection, until)));
  }

  /** The counts and times since the last report. */
  takeReport(): LoadReport {
    const report = {
      completed: this.#completed,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      elapsedMs: this.#elapsedMs,
      firstByteP50Ms: this.#firstByte.percentileMs(0.5),
      p50Ms: this.#whole.percentileMs(0.5),
      p99Ms: this.#whole.percentileMs(0.99),
    };
    this.#completed = 0;
    this.#elapsedMs = 0;
    this.#firstByte.clear();
    this.#whole.clear();
    return report;
  }

  #requestsOf({ request, keys = [] }: LoadPlan): NextRequest {
    const bytes = Buffer.from(request, 'latin1');
    const [first] = keys;
    if (first === undefined) return () => bytes;
    const at = bytes.indexOf(first);
    return () => {
      const key = keys[this.#turn % keys.length] ?? first;
      this.#turn += 1;
      bytes.write(key, at, 'latin1');
      return bytes;
    };
  }

  #loop(connection: LoadConnection, endsAt: number, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = {
        onFirstByte: () => {},
        onAnswer: (answer: Answer) => {
          this.#completed += 1;
          this.#firstByte.record(answer.firstByteMs);
          this.#whole.record(answer.wholeMs);
          if (performance.now() < endsAt) connection.send(listener);
          else resolve();
        },
        onFailure: (reason: string) => resolve(this.#fail(reason)),
      };
      if (delayMs === 0) connection.send(listener);
      else setTimeout(() => connection.send(listener), delayMs);
    });
  }

  #sendOne(connection: LoadConnection, until: 'first-byte' | 'end'): Promise<void> {
    return new Promise((resolve) => {
      connection.send({
        onFirstByte: () => until === 'first-byte' && resolve(),
        onAnswer: () => resolve(),
        onFailure: (reason) => resolve(this.#fail(reason)),
      });
    });
  }

  #fail(reason: string): void {
    this.#failed += 1;
    this.#firstFailure ??= reason;
  }
}
