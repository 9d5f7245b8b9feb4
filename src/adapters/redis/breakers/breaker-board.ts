// The circuit breakers that all servers on one Redis share. Calls read a copy in the process. Calls are counted here;
// failures are sent at once and decided by Redis in one atomic step, which publishes the transition. A probe is claimed in
// Redis, so that there is one at a time in the cluster. While Redis is unavailable each server decides by its own counts
// and restores the outcome afterwards.

import type { Clock } from '../../../kernel/clock.ts';
import type {
  BreakerBoard,
  BreakerCause,
  BreakerView,
  CircuitTransition,
} from '../../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../../resilience/circuit-breaker.ts';
import { type CircuitKey, circuitId } from '../../../resilience/circuit-key.ts';
import { isWorthShowing, viewOf } from '../../../resilience/local-circuit.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { type CircuitSnapshot, CircuitStore } from './circuit-store.ts';
import { SharedCircuit } from './shared-circuit.ts';

export type RedisBreakerBoardParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly rules: BreakerRules;
  readonly keyPrefix: string;
  readonly newProbeId: () => string;
  readonly longestCallMs: number;
  readonly leaseMs?: number;
  readonly onTransition: (transition: CircuitTransition) => void;
};

export type RedisBreakerBoard = BreakerBoard & {
  /** Resolves when no command is on its way to Redis. */
  settled(): Promise<void>;
};

const DEFAULT_LEASE_MS = 15_000;

/** Resolves when the circuits in Redis are known here, or when Redis is unavailable. */
export async function openRedisBreakerBoard(
  parts: RedisBreakerBoardParts,
): Promise<RedisBreakerBoard> {
  const board = new SharedBoard(parts);
  await board.open();
  return board;
}

class SharedBoard implements RedisBreakerBoard {
  readonly #parts: RedisBreakerBoardParts;
  readonly #me: string;
  readonly #store: CircuitStore;
  readonly #circuits = new Map<string, SharedCircuit>();
  #notClosed = 0;
  #reading: Promise<void> | undefined;
  #isClosing = false;

  constructor(parts: RedisBreakerBoardParts) {
    this.#parts = parts;
    this.#me = parts.newProbeId();
    const now = () => parts.clock.monotonic();
    this.#store = new CircuitStore({ ...parts, me: this.#me, now });
  }

  async open(): Promise<void> {
    const { link } = this.#parts;
    link.onUp(() => {
      for (const circuit of this.#circuits.values()) circuit.onReconnect();
      this.#refresh();
    });
    await link.subscribe(this.#store.channel, {
      onMessage: (message) => this.#onMessage(message),
      onSubscribed: () => this.#refresh(),
    });
    this.#refresh();
    await this.settled();
  }

  isClosed(key: CircuitKey): boolean {
    // Usually every circuit is closed: then no map key has to be built.
    return this.#notClosed === 0 || this.#circuitOf(key).isClosed;
  }

  openCause(key: CircuitKey): BreakerCause | undefined {
    return this.#notClosed === 0 ? undefined : this.#circuitOf(key).openCause;
  }

  requestPass(...[key, onAnswer]: Parameters<BreakerBoard['requestPass']>): void {
    this.#circuitOf(key).requestPass(onAnswer);
  }

  report(...[pass, health]: Parameters<BreakerBoard['report']>): void {
    this.#circuitOf(pass.key).report(pass, health);
  }

  limitUntil(key: CircuitKey, resetAt: number): Promise<void> {
    const { clock } = this.#parts;
    return this.#circuitOf(key).limit(clock.monotonic() + resetAt - clock.now());
  }

  clearLimit(key: CircuitKey): Promise<void> {
    return this.#circuitOf(key).clearLimit();
  }

  /** The state in Redis; while Redis is unavailable, the state of this server. */
  async list(): Promise<readonly BreakerView[]> {
    try {
      const keys = await this.#store.keys();
      const snapshots = await Promise.all(keys.map((key) => this.#read(key)));
      return snapshots.map((snapshot) => this.#viewOf(snapshot)).filter(isWorthShowing);
    } catch {
      return [...this.#circuits.values()].map((circuit) => circuit.view()).filter(isWorthShowing);
    }
  }

  async reset(key: CircuitKey): Promise<void> {
    await this.#circuitOf(key).reset();
  }

  async settled(): Promise<void> {
    await this.#reading;
    await Promise.all([...this.#circuits.values()].map((circuit) => circuit.settled()));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#reading;
    await Promise.all([...this.#circuits.values()].map((circuit) => circuit.close()));
  }

  #circuitOf(key: CircuitKey): SharedCircuit {
    const id = circuitId(key);
    const known = this.#circuits.get(id);
    if (known) return known;
    const { leaseMs = DEFAULT_LEASE_MS } = this.#parts;
    const made = new SharedCircuit({
      ...this.#parts,
      key,
      store: this.#store,
      me: this.#me,
      leaseMs,
      onTransition: (transition) => this.#onTransition(transition),
    });
    this.#circuits.set(id, made);
    return made;
  }

  #onTransition(transition: CircuitTransition): void {
    if (transition.from === 'closed') this.#notClosed += 1;
    if (transition.to === 'closed') this.#notClosed -= 1;
    this.#parts.onTransition(transition);
  }

  #onMessage(message: string): void {
    const snapshot = this.#store.parseMessage(message);
    if (!snapshot || this.#isClosing) return;
    this.#circuitOf(snapshot.key).adopt(snapshot);
  }

  async #read(key: CircuitKey): Promise<CircuitSnapshot> {
    const snapshot = await this.#store.read(key);
    this.#circuitOf(key).adopt(snapshot);
    return snapshot;
  }

  #viewOf({ key, circuit, totals }: CircuitSnapshot): BreakerView {
    const { clock, rules } = this.#parts;
    const now = clock.monotonic();
    return viewOf(key, circuit, totals, rules.openMs, { now, epochMs: clock.now() - now });
  }

  #refresh(): void {
    if (this.#isClosing || !this.#parts.link.isUp()) return;
    for (const circuit of this.#circuits.values()) circuit.sync();
    this.#reading ??= this.#readAll()
      // The next connection reads again; until then each circuit in use learns its state from its own syncs.
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readAll(): Promise<void> {
    const keys = await this.#store.keys();
    await Promise.all(keys.map((key) => this.#read(key)));
  }
}
