// The circuit breakers that all servers on one Redis share. Calls read a copy in the process. Calls are counted here;
// failures are sent at once and decided by Redis in one atomic step, which publishes the transition. A probe is claimed in
// Redis, so that there is one at a time in the cluster. While Redis is unavailable each server decides by its own counts
// and restores the outcome afterwards.

import type { Clock } from '../../../kernel/clock.ts';
import {
  type BreakerBoard,
  type BreakerCause,
  type BreakerView,
  type CallHealth,
  type CircuitTransition,
  healthForAll,
  healthForOne,
} from '../../../resilience/breaker-board.ts';
import type { BreakerRules } from '../../../resilience/circuit-breaker.ts';
import {
  accountCircuit,
  type CircuitKey,
  circuitId,
  organizationCircuit,
} from '../../../resilience/circuit-key.ts';
import { isWorthShowing, viewOf } from '../../../resilience/local-circuit.ts';
import { OwnCircuits } from '../../../resilience/own-circuits.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { InFlight } from '../in-flight.ts';
import { type CircuitSnapshot, CircuitStore } from './circuit-store.ts';
import { DEFAULT_PROBE_LEASE_MS } from './probe-lease.ts';
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

/** Beyond this number the closed circuits of models are dropped. */
const MAX_CIRCUITS = 1000;

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
  readonly #own: OwnCircuits<SharedCircuit>;
  readonly #inFlight = new InFlight();
  #notClosed = 0;
  #reading: Promise<void> | undefined;
  #isClosing = false;

  constructor(parts: RedisBreakerBoardParts) {
    this.#parts = parts;
    this.#me = parts.newProbeId();
    const now = () => parts.clock.monotonic();
    this.#store = new CircuitStore({ ...parts, me: this.#me, now });
    this.#own = new OwnCircuits(parts.rules.windowMs, (key) => this.#make(key));
  }

  async open(): Promise<void> {
    const { link } = this.#parts;
    link.onUp(() => {
      for (const circuit of this.#all()) circuit.onReconnect();
      this.#refresh();
    });
    await link.subscribe(this.#store.channel, {
      onMessage: (message) => this.#onMessage(message),
      onSubscribed: () => this.#refresh(),
    });
    this.#refresh();
    await this.settled();
  }

  hasOpen(): boolean {
    return this.#notClosed > 0;
  }

  isClosed(key: CircuitKey): boolean {
    // Usually every circuit is closed, and no map key has to be built.
    return this.#notClosed === 0 || (this.#find(key)?.isClosed ?? true);
  }

  openCause(key: CircuitKey): BreakerCause | undefined {
    return this.#notClosed === 0 ? undefined : this.#find(key)?.openCause;
  }

  openForMs(key: CircuitKey): number {
    return this.#notClosed === 0 ? 0 : (this.#find(key)?.openForMs ?? 0);
  }

  requestPass(...[key, onAnswer, organization]: Parameters<BreakerBoard['requestPass']>): void {
    const circuit = this.#find(key);
    if (circuit) return circuit.requestPass(onAnswer, organization);
    onAnswer({ isAllowed: true, pass: { key, probe: undefined } });
  }

  report(...[pass, health, organization]: Parameters<BreakerBoard['report']>): void {
    const { key } = pass;
    if (key.organization !== undefined) {
      const account = accountCircuit(key);
      this.#own.get(key)?.report(pass, healthForOne(health));
      const counted = { key: account, probe: undefined };
      this.#circuitOf(account).report(counted, healthForAll(health), key.organization);
      return;
    }
    const shared = this.#circuitOf(key);
    if (organization === undefined || key.model !== undefined)
      return shared.report(pass, healthForAll(health), organization);
    const own = this.#ownOf(key, organization, health);
    shared.report(pass, healthForAll(health), organization);
    if (!own) return;
    const ownKey = organizationCircuit(key, organization);
    own.report({ key: ownKey, probe: undefined }, healthForOne(health));
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
      return this.#all()
        .map((circuit) => circuit.view())
        .filter(isWorthShowing);
    }
  }

  async reset(key: CircuitKey): Promise<void> {
    await this.#known(key)?.reset();
    if (key.organization !== undefined) return;
    this.#resetOwn(key);
    await this.#inFlight.drained();
  }

  async settled(): Promise<void> {
    await this.#reading;
    await Promise.all(this.#all().map((circuit) => circuit.settled()));
    await this.#inFlight.drained();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#reading;
    await Promise.all(this.#all().map((circuit) => circuit.close()));
    await this.#inFlight.drained();
  }

  #all(): readonly SharedCircuit[] {
    return [...this.#circuits.values(), ...this.#own.all()];
  }

  /** A circuit of one organisation exists only after a failure. */
  #known(key: CircuitKey): SharedCircuit | undefined {
    return key.organization === undefined ? this.#circuitOf(key) : this.#own.get(key);
  }

  /** For calls: callers choose the names of models, so a call makes no circuit of a model. */
  #find(key: CircuitKey): SharedCircuit | undefined {
    return key.model === undefined ? this.#known(key) : this.#circuits.get(circuitId(key));
  }

  /** The organisation's own circuit; the first failure makes it. */
  #ownOf(key: CircuitKey, organization: string, health: CallHealth): SharedCircuit | undefined {
    // Usually no organisation has its own circuit, and the lookup is skipped.
    if (this.#own.isEmpty && health === 'success') return undefined;
    const known = this.#own.find(key, organization, this.#parts.clock.monotonic());
    if (known || healthForOne(health) !== 'failure') return known;
    return this.#createOwn(organizationCircuit(key, organization), organization);
  }

  /** Starts with the calls that the organisation has made on this server. */
  #createOwn(key: CircuitKey, organization: string): SharedCircuit | undefined {
    const now = this.#parts.clock.monotonic();
    const made = this.#own.create(key, now);
    made?.seed(this.#circuitOf(accountCircuit(key)).counts.totalsOf(organization, now));
    return made;
  }

  #circuitOf(key: CircuitKey): SharedCircuit {
    const id = circuitId(key);
    const known = this.#circuits.get(id);
    if (known) return known;
    if (this.#circuits.size >= MAX_CIRCUITS) this.#dropClosed();
    const made = this.#make(key);
    this.#circuits.set(id, made);
    return made;
  }

  /** The limits of models end, and their circuits close. */
  #dropClosed(): void {
    for (const [id, circuit] of this.#circuits) {
      if (!circuit.isModels || !circuit.isClosed) continue;
      this.#circuits.delete(id);
      void this.#inFlight.track(circuit.close());
    }
  }

  #make(key: CircuitKey): SharedCircuit {
    const { leaseMs = DEFAULT_PROBE_LEASE_MS } = this.#parts;
    const account = accountCircuit(key);
    return new SharedCircuit({
      ...this.#parts,
      key,
      store: this.#store,
      me: this.#me,
      leaseMs,
      ...(key.organization === undefined
        ? {}
        : { mayOpen: () => this.#circuitOf(account).isClosed }),
      onTransition: (transition) => this.#onTransition(transition),
    });
  }

  #onTransition(transition: CircuitTransition): void {
    if (transition.from === 'closed') this.#notClosed += 1;
    if (transition.to === 'closed') this.#notClosed -= 1;
    this.#parts.onTransition(transition);
    const { key, to, cause, isDecidedHere } = transition;
    const { organization } = key;
    if (organization !== undefined) {
      if (to === 'closed') this.#circuitOf(accountCircuit(key)).counts.forget(organization);
    } else if (isDecidedHere && cause === 'failures' && to !== 'half_open') this.#resetOwn(key);
  }

  /** When the circuit of all organisations opens or closes, the circuits of single organisations are reset. */
  #resetOwn(account: CircuitKey): void {
    for (const circuit of this.#own.of(account)) void this.#inFlight.track(circuit.reset());
  }

  #onMessage(message: string): void {
    const snapshot = this.#store.parseMessage(message);
    if (!snapshot || this.#isClosing) return;
    this.#adopt(snapshot);
  }

  #adopt(snapshot: CircuitSnapshot): void {
    const { key } = snapshot;
    const known = this.#known(key);
    if (known || key.organization === undefined) return known?.adopt(snapshot);
    const made = this.#createOwn(key, key.organization);
    made?.adopt(snapshot);
    made?.sync();
  }

  async #read(key: CircuitKey): Promise<CircuitSnapshot> {
    const snapshot = await this.#store.read(key);
    if (this.#known(key) || snapshot.circuit.state !== 'closed') this.#adopt(snapshot);
    return snapshot;
  }

  #viewOf({ key, circuit, totals }: CircuitSnapshot): BreakerView {
    const { clock, rules } = this.#parts;
    const now = clock.monotonic();
    return viewOf(key, circuit, totals, rules.openMs, { now, epochMs: clock.now() - now });
  }

  #refresh(): void {
    if (this.#isClosing || !this.#parts.link.isUp()) return;
    for (const circuit of this.#all()) circuit.sync();
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
