// One circuit of a server among others: the copy that calls are asked from, what was counted here and not told yet, and
// the probe that this server has been given. Redis decides and this follows; while Redis is away it decides alone by
// what it has seen itself, and what came of that is told when Redis is back.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import type {
  BreakerAnswer,
  BreakerCause,
  BreakerPass,
  BreakerView,
  CallHealth,
  CircuitTransition,
} from '../../../resilience/breaker-board.ts';
import { type BreakerRules, isProbeDue, isProbeOf } from '../../../resilience/circuit-breaker.ts';
import { type CircuitPlace, LocalCircuit } from '../../../resilience/local-circuit.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { LimitTelling } from './breaker-limit.ts';
import type { CircuitSnapshot, CircuitStore } from './circuit-store.ts';
import { ProbeLease } from './probe-lease.ts';

export type SharedCircuitParts = CircuitPlace & {
  readonly table: CircuitStore;
  readonly link: Pick<RedisLink, 'isUp'>;
  readonly clock: Clock;
  readonly rules: BreakerRules;
  readonly me: string;
  readonly newProbeId: () => string;
  /** How long a probe outlives a server that died with it; renewed while it lives. */
  readonly leaseMs: number;
  readonly longestCallMs: number;
  readonly onMove: (move: CircuitTransition) => void;
};

/** What went well is told so much later at most, all at once: for the part of the failures, and to hear what is new. */
const TELL_CALLS_MS = 1000;
/** A probe elsewhere is looked after so often, in case the news of its end was missed. */
const LOOK_AGAIN_MS = 1000;

export class SharedCircuit {
  readonly #parts: SharedCircuitParts;
  readonly #keeper: LocalCircuit;
  readonly #lease: ProbeLease;
  readonly #limitTelling = new LimitTelling((until) => this.#limit(until));
  #version = '0';
  #untoldCalls = 0;
  #untoldFailures = 0;
  /** What Redis has to be told of the circuit itself, before it is listened to. */
  #untold: 'nothing' | 'memory' | 'decision' = 'nothing';
  #telling: Promise<void> | undefined;
  #claiming: Promise<void> | undefined;
  readonly #ending = new Set<Promise<void>>();
  #lookAgainAtMs = 0;
  #cancelTelling: CancelTimer | undefined;
  #isClosing = false;

  constructor(parts: SharedCircuitParts) {
    this.#parts = parts;
    this.#keeper = new LocalCircuit({ ...parts, leaseMs: parts.longestCallMs });
    this.#lease = new ProbeLease({ ...parts, renew: (probe) => this.#renew(probe) });
  }

  get isClosed(): boolean {
    return this.#keeper.isClosed;
  }

  get heldBy(): BreakerCause | undefined {
    return this.#keeper.heldBy;
  }

  ask(onAnswer: (answer: BreakerAnswer) => void): void {
    const { link, clock, newProbeId } = this.#parts;
    const now = clock.monotonic();
    if (this.#keeper.isClosed) return onAnswer(this.#keeper.ask(newProbeId, now));
    if (!link.isUp()) return onAnswer(this.#askAlone());
    if (!this.#mayClaim(now)) return onAnswer(this.#keeper.refusal(now));
    this.#lookAgainAtMs = now + LOOK_AGAIN_MS;
    this.#claiming = this.#claim(newProbeId()).then((answer) => {
      this.#claiming = undefined;
      onAnswer(answer);
    });
  }

  report(pass: BreakerPass, health: CallHealth): void {
    this.#keeper.count(health, this.#parts.clock.monotonic());
    if (health !== 'neutral') this.#untoldCalls += 1;
    if (health === 'failure') this.#untoldFailures += 1;
    if (pass.probe !== undefined) this.#endProbe(pass, pass.probe, health);
    if (!this.#parts.link.isUp()) this.#decideAlone(pass, health);
    else if (health === 'failure') this.tell();
    else if (health === 'success') this.#tellSoon();
  }

  /** Redis can be used again; it may have lost what it knew. */
  remind(): void {
    if (this.#untold === 'nothing' && !this.isClosed) this.#untold = 'memory';
    this.tell();
  }

  /** Tells what is untold and takes up what Redis says. Never rejects. */
  tell(): void {
    if (this.#isClosing) return;
    this.#cancelTelling?.();
    this.#cancelTelling = undefined;
    this.#telling ??= Promise.resolve()
      .then(() => this.#tellAll())
      .finally(() => {
        this.#telling = undefined;
      });
  }

  /** What Redis or another server says; older than what is known, it changes nothing. */
  adopt({ version, circuit, isMoved, by }: CircuitSnapshot): void {
    if (Number(version) < Number(this.#version) || this.#untold !== 'nothing') return;
    // Heard twice, the later time would put off the probe; of one version only the lease of a probe can be new.
    if (version === this.#version && circuit.state !== 'half_open') return;
    this.#version = version;
    const isDecidedHere = isMoved && by === this.#parts.me;
    this.#keeper.adopt(circuit, isDecidedHere, this.#parts.clock.monotonic());
  }

  /** The provider says that it serves again then. */
  limit(until: number): Promise<void> {
    return this.#limitTelling.tell(until, this.#keeper.circuit);
  }

  clearLimit(): Promise<void> {
    return this.#decideTogether(
      () => this.#parts.table.clearLimit(this.#parts),
      (now) => this.#keeper.clearLimit(now),
    );
  }

  async reset(): Promise<void> {
    const { table, link, clock } = this.#parts;
    this.#untoldCalls = 0;
    this.#untoldFailures = 0;
    if (!link.isUp()) {
      this.#untold = 'decision';
      return this.#keeper.reset(clock.monotonic());
    }
    const standing = await table.reset(this.#parts);
    this.#untold = 'nothing';
    this.adopt(standing);
    this.#keeper.reset(clock.monotonic());
  }

  view(): BreakerView {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    return this.#keeper.view(now, clock.now() - now);
  }

  /** Resolves when nothing is on its way to Redis. */
  async settled(): Promise<void> {
    while (this.#telling || this.#claiming || this.#ending.size > 0)
      await Promise.all([this.#telling, this.#claiming, ...this.#ending]);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelTelling?.();
    this.#lease.end();
    await this.settled();
  }

  #tellSoon(): void {
    if (this.#cancelTelling || this.#isClosing) return;
    this.#cancelTelling = this.#parts.clock.after(TELL_CALLS_MS, () => this.tell());
  }

  async #tellAll(): Promise<void> {
    const { table, link, provider, region } = this.#parts;
    const probe = undefined;
    do {
      const counted = { calls: this.#untoldCalls, failures: this.#untoldFailures };
      this.#untoldCalls = 0;
      this.#untoldFailures = 0;
      try {
        if (this.#untold !== 'nothing') await this.#tellCircuit();
        this.adopt(await table.count(this.#parts, counted));
      } catch {
        if (counted.failures > 0) this.#decideAlone({ provider, region, probe }, 'failure');
        if (this.#untold !== 'nothing' && link.isUp()) this.#tellSoon();
      }
    } while (this.#untoldFailures > 0 && link.isUp());
  }

  async #tellCircuit(): Promise<void> {
    const { circuit } = this.#keeper;
    const isDecidedAlone = this.#untold === 'decision';
    const known = { circuit, version: this.#version, isDecidedAlone };
    const standing = await this.#parts.table.tell(this.#parts, known);
    // Meanwhile something else may have been decided here, which is told next time.
    if (this.#keeper.circuit === circuit) this.#untold = 'nothing';
    this.adopt(standing);
  }

  #mayClaim(now: number): boolean {
    if (this.#claiming) return false;
    const { circuit } = this.#keeper;
    return (
      isProbeDue(circuit, now) || (circuit.state === 'half_open' && now >= this.#lookAgainAtMs)
    );
  }

  async #claim(probe: string): Promise<BreakerAnswer> {
    const { table, link, leaseMs, clock, newProbeId } = this.#parts;
    try {
      if (this.#untold !== 'nothing') await this.#tellCircuit();
      const standing = await table.claim(this.#parts, probe, leaseMs);
      this.adopt(standing);
      if (this.#keeper.isClosed) return this.#keeper.ask(newProbeId, clock.monotonic());
      if (!isProbeOf(standing.circuit, probe)) return this.#keeper.refusal(clock.monotonic());
      this.#lease.begin(probe);
      return this.#keeper.probeGiven(probe);
    } catch {
      // It may have been given after all, to nobody: Redis is told when it can be, or the lease runs out.
      if (!link.isUp()) return this.#askAlone();
      this.#hold(table.end(this.#parts, probe, 'neutral').then((standing) => this.adopt(standing)));
      return this.#keeper.refusal(clock.monotonic());
    }
  }

  #renew(probe: string): void {
    const { table, leaseMs } = this.#parts;
    this.#hold(table.renew(this.#parts, probe, leaseMs).then((standing) => this.adopt(standing)));
  }

  #endProbe(pass: BreakerPass, probe: string, health: CallHealth): void {
    this.#lease.end();
    const { table, link } = this.#parts;
    if (!link.isUp()) return;
    this.#hold(
      table.end(this.#parts, probe, health).then(
        (standing) => this.adopt(standing),
        () => this.#decideAlone(pass, health),
      ),
    );
  }

  #limit(until: number): Promise<void> {
    const { table, clock } = this.#parts;
    return this.#decideTogether(
      () => table.limit(this.#parts, until - clock.monotonic()),
      (now) => this.#keeper.limit(until, now),
    );
  }

  /** Redis decides; where it cannot be asked this server does, and Redis is told when it can be. Never rejects. */
  #decideTogether(
    decide: () => Promise<CircuitSnapshot>,
    decideAlone: (now: number) => void,
  ): Promise<void> {
    const deciding = this.#askRedis(decide).then((isDone) => {
      if (isDone) return;
      this.#alone(() => decideAlone(this.#parts.clock.monotonic()));
      if (this.#parts.link.isUp()) this.#tellSoon();
    });
    this.#hold(deciding);
    return deciding;
  }

  async #askRedis(decide: () => Promise<CircuitSnapshot>): Promise<boolean> {
    if (!this.#parts.link.isUp()) return false;
    try {
      if (this.#untold !== 'nothing') await this.#tellCircuit();
      this.adopt(await decide());
      return true;
    } catch {
      return false;
    }
  }

  #askAlone(): BreakerAnswer {
    const { newProbeId, clock } = this.#parts;
    return this.#alone(() => this.#keeper.ask(newProbeId, clock.monotonic()));
  }

  #decideAlone(pass: BreakerPass, health: CallHealth): void {
    this.#alone(() => this.#keeper.decide(pass, health, this.#parts.clock.monotonic()));
    if (this.#parts.link.isUp()) this.#tellSoon();
  }

  #alone<T>(act: () => T): T {
    const before = this.#keeper.circuit;
    const result = act();
    if (this.#keeper.circuit !== before) this.#untold = 'decision';
    return result;
  }

  /** What nobody waits for is still waited for by the end; its failure is made good by the next telling. */
  #hold(work: Promise<void>): void {
    const held = work
      .catch(() => {})
      .finally(() => {
        this.#ending.delete(held);
      });
    this.#ending.add(held);
  }
}
