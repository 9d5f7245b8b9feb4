// The circuit breakers that all servers on one Redis share. Asking reads a copy in the process; calls are counted here,
// failures are told at once and decided by Redis in one step, which announces what moved; a probe is claimed in Redis,
// so that there is one at a time in the whole cluster. While Redis is away each server goes by what it sees itself and
// tells when Redis is back.

import type { Clock } from '../../../kernel/clock.ts';
import type {
  BreakerBoard,
  BreakerCause,
  BreakerView,
  CircuitTransition,
} from '../../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../../resilience/circuit-breaker.ts';
import { type CircuitPlace, isWorthShowing, viewOf } from '../../../resilience/local-circuit.ts';
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
  readonly onMove: (move: CircuitTransition) => void;
};

export type RedisBreakerBoard = BreakerBoard & {
  /** Resolves when nothing is on its way to Redis. */
  settled(): Promise<void>;
};

const LEASE_MS = 15_000;

/** Resolves when what Redis knows is known here, or when Redis is away. */
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
  readonly #table: CircuitStore;
  readonly #circuits = new Map<string, SharedCircuit>();
  #notClosed = 0;
  #reading: Promise<void> | undefined;
  #isClosing = false;

  constructor(parts: RedisBreakerBoardParts) {
    this.#parts = parts;
    this.#me = parts.newProbeId();
    const now = () => parts.clock.monotonic();
    this.#table = new CircuitStore({ ...parts, me: this.#me, now });
  }

  async open(): Promise<void> {
    const { link } = this.#parts;
    link.onUp(() => {
      for (const circuit of this.#circuits.values()) circuit.remind();
      this.#refresh();
    });
    await link.subscribe(this.#table.channel, {
      hear: (message) => this.#hear(message),
      begin: () => this.#refresh(),
    });
    this.#refresh();
    await this.settled();
  }

  isClosed(provider: string, region: string): boolean {
    // Nearly always every circuit is closed, and then no key need be built.
    return this.#notClosed === 0 || this.#circuitOf(provider, region).isClosed;
  }

  heldBy(provider: string, region: string): BreakerCause | undefined {
    return this.#notClosed === 0 ? undefined : this.#circuitOf(provider, region).heldBy;
  }

  ask(provider: string, region: string, onAnswer: Parameters<BreakerBoard['ask']>[2]): void {
    this.#circuitOf(provider, region).ask(onAnswer);
  }

  report(...[pass, health]: Parameters<BreakerBoard['report']>): void {
    this.#circuitOf(pass.provider, pass.region).report(pass, health);
  }

  expect(provider: string, region: string, at: number): Promise<void> {
    const { clock } = this.#parts;
    return this.#circuitOf(provider, region).limit(clock.monotonic() + at - clock.now());
  }

  expectNothing(provider: string, region: string): Promise<void> {
    return this.#circuitOf(provider, region).clearLimit();
  }

  /** As all servers see it; while Redis is away, as this one does. */
  async list(): Promise<readonly BreakerView[]> {
    try {
      const places = await this.#table.places();
      const standings = await Promise.all(places.map((place) => this.#read(place)));
      // The index also remembers places that nobody calls any more.
      return standings.map((standing) => this.#viewOf(standing)).filter(isWorthShowing);
    } catch {
      return [...this.#circuits.values()].map((circuit) => circuit.view());
    }
  }

  async reset(provider: string, region: string): Promise<void> {
    await this.#circuitOf(provider, region).reset();
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

  #circuitOf(provider: string, region: string): SharedCircuit {
    const key = `${provider} ${region}`;
    const known = this.#circuits.get(key);
    if (known) return known;
    const { leaseMs = LEASE_MS } = this.#parts;
    const made = new SharedCircuit({
      ...this.#parts,
      provider,
      region,
      table: this.#table,
      me: this.#me,
      leaseMs,
      onMove: (move) => this.#moved(move),
    });
    this.#circuits.set(key, made);
    return made;
  }

  #moved(move: CircuitTransition): void {
    if (move.from === 'closed') this.#notClosed += 1;
    if (move.to === 'closed') this.#notClosed -= 1;
    this.#parts.onMove(move);
  }

  #hear(message: string): void {
    const news = this.#table.parseNews(message);
    if (!news || this.#isClosing) return;
    this.#circuitOf(news.place.provider, news.place.region).adopt(news);
  }

  async #read(place: CircuitPlace): Promise<CircuitSnapshot> {
    const standing = await this.#table.count(place, { calls: 0, failures: 0 });
    this.#circuitOf(place.provider, place.region).adopt(standing);
    return standing;
  }

  #viewOf({ place, circuit, totals }: CircuitSnapshot): BreakerView {
    const { clock, rules } = this.#parts;
    const now = clock.monotonic();
    return viewOf(place, circuit, totals, rules.openMs, { now, epochMs: clock.now() - now });
  }

  #refresh(): void {
    if (this.#isClosing || !this.#parts.link.isUp()) return;
    for (const circuit of this.#circuits.values()) circuit.tell();
    this.#reading ??= this.#readAll()
      // Read again on the next connection; meanwhile every circuit in use hears of itself when it tells.
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readAll(): Promise<void> {
    const places = await this.#table.places();
    await Promise.all(places.map((place) => this.#read(place)));
  }
}
