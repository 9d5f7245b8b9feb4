// One circuit of a server in a cluster: the local copy that answers calls, the counts that Redis does not have yet, and the
// lease of this server's probe. Redis decides and the copy follows. While Redis is unavailable the server decides by its
// own counts, and restores the outcome to Redis afterwards.

import type { CancelTimer } from '../../../kernel/clock.ts';
import type {
  BreakerAnswer,
  BreakerCause,
  BreakerPass,
  BreakerView,
  CallHealth,
} from '../../../resilience/breaker-board.ts';
import type { CallTotals } from '../../../resilience/call-window.ts';
import { isProbeDue, isProbedBy } from '../../../resilience/circuit-breaker.ts';
import { LocalCircuit } from '../../../resilience/local-circuit.ts';
import { InFlight } from '../in-flight.ts';
import type { CircuitSnapshot } from './circuit-store.ts';
import { LimitAnnouncer } from './limit-announcer.ts';
import { ProbeLease } from './probe-lease.ts';
import { RefusedOrganizations } from './refused-organizations.ts';
import type { SharedCircuitParts } from './shared-circuit-parts.ts';
import { UnsentCalls } from './unsent-calls.ts';

/** Successes reach Redis in batches: they only matter for the failure ratio. */
const BATCH_MS = 1000;
/** How often a half-open circuit asks Redis for the probe, in case the message of the last probe's end was lost. */
const RECHECK_MS = 1000;

export class SharedCircuit {
  readonly #parts: SharedCircuitParts;
  readonly #local: LocalCircuit;
  readonly #lease: ProbeLease;
  readonly #limits = new LimitAnnouncer((until) => this.#limit(until));
  readonly #inFlight = new InFlight();
  #version = '0';
  readonly #unsent: UnsentCalls;
  /** The state that Redis lacks: one decided here, or one remembered from before it lost its data. */
  #unrestored: 'nothing' | 'remembered' | 'decided' = 'nothing';
  #syncing: Promise<void> | undefined;
  #claiming: Promise<void> | undefined;
  #recheckAtMs = 0;
  readonly #refused = new RefusedOrganizations();
  #cancelSync: CancelTimer | undefined;
  #isClosing = false;

  constructor(parts: SharedCircuitParts) {
    this.#parts = parts;
    this.#local = new LocalCircuit({ ...parts, leaseMs: parts.longestCallMs });
    this.#unsent = new UnsentCalls(parts.rules.windowMs);
    this.#lease = new ProbeLease({ ...parts, renew: (probe) => this.#renew(probe) });
  }

  /** This server's counts by organisation. */
  get counts(): Pick<LocalCircuit, 'totalsOf' | 'forget'> {
    return this.#local;
  }

  /** True for the circuit of a single model. */
  get isModels(): boolean {
    return this.#parts.key.model !== undefined;
  }

  get isClosed(): boolean {
    return this.#local.isClosed;
  }

  get openCause(): BreakerCause | undefined {
    return this.#local.openCause;
  }

  get openForMs(): number {
    return this.#local.openForMs(this.#parts.clock.monotonic());
  }

  requestPass(onAnswer: (answer: BreakerAnswer) => void, organization?: string): void {
    const { link, clock, newProbeId } = this.#parts;
    const now = clock.monotonic();
    if (this.#local.isClosed) return onAnswer(this.#local.requestPass(newProbeId, now));
    if (!link.isUp()) return onAnswer(this.#requestLocally());
    this.#refused.note(organization);
    if (!this.#mayClaim(now)) return onAnswer(this.#local.refusal(now));
    this.#recheckAtMs = now + RECHECK_MS;
    const claiming = this.#claim(newProbeId(), organization);
    this.#claiming = claiming.finally(() => (this.#claiming = undefined)).then(onAnswer);
  }

  report(pass: BreakerPass, health: CallHealth, organization?: string): void {
    const now = this.#parts.clock.monotonic();
    this.#local.count(health, now, organization);
    const isFailing =
      health === 'failure' &&
      organization !== undefined &&
      this.#local.isFailing(organization, now);
    const isUrgent = this.#unsent.add(health, organization, isFailing, now);
    if (pass.probe !== undefined) this.#endProbe(pass, pass.probe, health);
    if (!this.#parts.link.isUp()) this.#decideLocally(pass, health);
    else if (isUrgent) this.sync();
    else if (health === 'success') this.#syncLater();
  }

  /** Counts calls that this server made before it had the circuit. */
  seed(totals: CallTotals): void {
    this.#local.seed(totals, this.#parts.clock.monotonic());
    this.#unsent.addAll(totals);
  }

  /** Redis is available again and may have lost its data. */
  onReconnect(): void {
    if (this.#unrestored === 'nothing' && !this.isClosed) this.#unrestored = 'remembered';
    this.sync();
  }

  /** Sends this server's counts and decisions to Redis and adopts its state. Never rejects. */
  sync(): void {
    if (this.#isClosing) return;
    this.#cancelSync?.();
    this.#cancelSync = undefined;
    this.#syncing ??= Promise.resolve()
      .then(() => this.#sync())
      .finally(() => {
        this.#syncing = undefined;
      });
  }

  /** A snapshot that is older than the known version, or that precedes an unrestored decision, changes nothing. */
  adopt({ version, circuit, callers, isTransition, by }: CircuitSnapshot): void {
    if (callers > 1) this.#local.noteOthers(this.#parts.clock.monotonic());
    if (Number(version) < Number(this.#version) || this.#unrestored !== 'nothing') return;
    // Within one version only a probe's lease changes; any other state would only shift its timestamps by the latency.
    if (version === this.#version && circuit.state !== 'half_open') return;
    this.#version = version;
    const isDecidedHere = isTransition && by === this.#parts.me;
    this.#local.adopt(circuit, isDecidedHere, this.#parts.clock.monotonic());
  }

  limit(until: number): Promise<void> {
    return this.#limits.announce(until, this.#local.circuit);
  }

  clearLimit(): Promise<void> {
    const { store, key } = this.#parts;
    return this.#decide(
      () => store.clearLimit(key),
      (now) => this.#local.clearLimit(now),
    );
  }

  async reset(): Promise<void> {
    const { store, key, link, clock } = this.#parts;
    this.#unsent.clear();
    if (!link.isUp()) {
      this.#unrestored = 'decided';
      return this.#local.reset(clock.monotonic());
    }
    const snapshot = await store.reset(key);
    this.#unrestored = 'nothing';
    this.adopt(snapshot);
    this.#local.reset(clock.monotonic());
  }

  view(): BreakerView {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    return this.#local.view(now, clock.now() - now);
  }

  /** Resolves when no command is on its way to Redis. */
  async settled(): Promise<void> {
    while (this.#syncing || this.#claiming || !this.#inFlight.isEmpty)
      await Promise.all([this.#syncing, this.#claiming, this.#inFlight.drained()]);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelSync?.();
    this.#lease.end();
    await this.settled();
  }

  #syncLater(): void {
    if (this.#cancelSync || this.#isClosing) return;
    this.#cancelSync = this.#parts.clock.after(BATCH_MS, () => this.sync());
  }

  async #sync(): Promise<void> {
    const { store, key, link, clock } = this.#parts;
    do {
      const counted = this.#unsent.take((each) =>
        this.#local.isSucceeding(each, clock.monotonic()),
      );
      try {
        await this.#restore();
        this.adopt(await store.count(key, counted));
      } catch {
        if (counted.failures > 0) this.#decideLocally({ key, probe: undefined }, 'failure');
        if (this.#unrestored !== 'nothing' && link.isUp()) this.#syncLater();
      }
    } while (this.#unsent.hasFailures && link.isUp());
  }

  async #restore(): Promise<void> {
    if (this.#unrestored === 'nothing') return;
    const { circuit } = this.#local;
    const isDecidedHere = this.#unrestored === 'decided';
    const { store, key } = this.#parts;
    const snapshot = await store.restore(key, { circuit, version: this.#version, isDecidedHere });
    // A decision made during the command is restored by the next sync.
    if (this.#local.circuit === circuit) this.#unrestored = 'nothing';
    this.adopt(snapshot);
  }

  #mayClaim(now: number): boolean {
    if (this.#claiming) return false;
    const { circuit } = this.#local;
    return isProbeDue(circuit, now) || (circuit.state === 'half_open' && now >= this.#recheckAtMs);
  }

  async #claim(probe: string, organization: string | undefined): Promise<BreakerAnswer> {
    const { store, key, link, leaseMs, clock, newProbeId } = this.#parts;
    try {
      await this.#restore();
      const refused = this.#refused.take();
      const snapshot = await store.claim(key, { probe, leaseMs, organization, refused });
      this.adopt(snapshot);
      if (this.#local.isClosed) return this.#local.requestPass(newProbeId, clock.monotonic());
      if (!isProbedBy(snapshot.circuit, probe)) return this.#local.refusal(clock.monotonic());
      this.#lease.begin(probe);
      return this.#local.probePass(probe);
    } catch {
      if (!link.isUp()) return this.#requestLocally();
      // Redis may have granted the probe although its answer was late: end it, or its lease blocks the next one.
      this.#adoptLater(store.end(key, probe, 'unused'));
      return this.#local.refusal(clock.monotonic());
    }
  }

  #renew(probe: string): void {
    const { store, key, leaseMs } = this.#parts;
    this.#adoptLater(store.renew(key, probe, leaseMs));
  }

  #endProbe(pass: BreakerPass, probe: string, health: CallHealth): void {
    this.#lease.end();
    const { store, key, link } = this.#parts;
    if (!link.isUp()) return;
    const adopting = store.end(key, probe, health).then((snapshot) => this.adopt(snapshot));
    void this.#inFlight.track(adopting.catch(() => this.#decideLocally(pass, health)));
  }

  #limit(until: number): Promise<void> {
    const { store, key, clock } = this.#parts;
    return this.#decide(
      () => store.limit(key, until - clock.monotonic()),
      (now) => this.#local.limit(until, now),
    );
  }

  /** Redis decides; when it cannot, this server does and restores the decision later. Never rejects. */
  #decide(inRedis: () => Promise<CircuitSnapshot>, locally: (now: number) => void): Promise<void> {
    const deciding = this.#decideInRedis(inRedis).then((isDone) => {
      if (isDone) return;
      this.#locally(() => locally(this.#parts.clock.monotonic()));
      if (this.#parts.link.isUp()) this.#syncLater();
    });
    return this.#inFlight.track(deciding);
  }

  async #decideInRedis(decide: () => Promise<CircuitSnapshot>): Promise<boolean> {
    if (!this.#parts.link.isUp()) return false;
    try {
      await this.#restore();
      this.adopt(await decide());
      return true;
    } catch {
      return false;
    }
  }

  #adoptLater(step: Promise<CircuitSnapshot>): void {
    void this.#inFlight.track(step.then((snapshot) => this.adopt(snapshot)));
  }

  #requestLocally(): BreakerAnswer {
    const now = this.#parts.clock.monotonic();
    return this.#locally(() => this.#local.requestPass(this.#parts.newProbeId, now));
  }

  #decideLocally(pass: BreakerPass, health: CallHealth): void {
    if (pass.probe === undefined && this.#parts.mayOpen?.() === false) return;
    this.#locally(() => this.#local.decide(pass, health, this.#parts.clock.monotonic()));
    if (this.#parts.link.isUp()) this.#syncLater();
  }

  #locally<T>(act: () => T): T {
    const before = this.#local.circuit;
    const result = act();
    if (this.#local.circuit !== before) this.#unrestored = 'decided';
    return result;
  }
}
