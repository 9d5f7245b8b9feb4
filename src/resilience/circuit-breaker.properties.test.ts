// The state machine against a model, over random sequences of events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { BreakerCause, BreakerPass, CallHealth, CircuitTransition } from './breaker-board.ts';
import { BREAKER_DEFAULTS, CIRCUIT_EXITS, PROBE_RETRY_MS } from './circuit-breaker.ts';
import { LocalCircuit } from './local-circuit.ts';

const KEY = { provider: 'anthropic', region: 'us-east' };
const SECOND_MS = 1000;
const LEASE_MS = 15_000;
const HEALTHS = ['success', 'failure', 'neutral'] as const;

/** The specification written down naively, with a list of all calls. */
type Model = {
  state: 'closed' | 'open' | 'half_open';
  now: number;
  calls: { at: number; isFailure: boolean }[];
  cause: BreakerCause;
  openedAt: number;
  probeAt: number;
  successes: number;
  probe: { pass: BreakerPass; until: number } | undefined;
  /** Passes without a reported outcome. */
  passes: BreakerPass[];
};

type Real = {
  readonly circuit: LocalCircuit;
  readonly transitions: CircuitTransition[];
  probes: number;
};

function inWindow(model: Model): { failures: number; calls: number } {
  const recent = model.calls.filter(({ at }) => at > model.now - BREAKER_DEFAULTS.windowMs);
  return { failures: recent.filter(({ isFailure }) => isFailure).length, calls: recent.length };
}

function close(model: Model): void {
  model.state = 'closed';
  model.calls = [];
  model.probe = undefined;
}

function open(model: Model): void {
  model.state = 'open';
  model.cause = 'failures';
  model.openedAt = model.now;
  model.probeAt = model.now + BREAKER_DEFAULTS.openMs;
  model.probe = undefined;
}

function limit(model: Model, until: number): void {
  if (model.state === 'closed') model.openedAt = model.now;
  model.state = 'open';
  model.cause = 'limit';
  model.probeAt = until;
  model.probe = undefined;
}

function isTripped(model: Model): boolean {
  const { failures, calls } = inWindow(model);
  return failures >= 5 && 2 * failures >= calls;
}

class Ask implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const answer = real.circuit.requestPass(() => `probe-${(real.probes += 1)}`, model.now);
    const isOver = model.now >= model.probeAt;
    const isFree = !model.probe || model.probe.until <= model.now;
    const isProbe = (model.state === 'open' && isOver) || (model.state === 'half_open' && isFree);
    assert.equal(answer.isAllowed, model.state === 'closed' || isProbe);
    if (!answer.isAllowed) assert.equal(answer.cause, model.cause);
    if (!answer.isAllowed) return assert.ok(answer.retryAfterMs > 0);
    model.passes.push(answer.pass);
    assert.equal(answer.pass.probe !== undefined, isProbe);
    if (!isProbe) return;
    if (model.state === 'open') model.successes = 0;
    model.state = 'half_open';
    model.probe = { pass: answer.pass, until: model.now + LEASE_MS };
  }

  toString(): string {
    return 'ask';
  }
}

class Report implements fc.Command<Model, Real> {
  readonly which: number;
  readonly health: CallHealth;

  constructor(which: number, health: CallHealth) {
    this.which = which;
    this.health = health;
  }

  check(model: Readonly<Model>): boolean {
    return model.passes.length > 0;
  }

  run(model: Model, real: Real): void {
    const [pass] = model.passes.splice(this.which % model.passes.length, 1);
    if (!pass) return;
    const { health } = this;
    if (health !== 'neutral') model.calls.push({ at: model.now, isFailure: health === 'failure' });
    real.circuit.count(health, model.now);
    real.circuit.decide(pass, health, model.now);
    if (pass.probe !== undefined) this.#endProbe(model, pass);
    else if (model.state === 'closed' && health === 'failure' && isTripped(model)) open(model);
  }

  #endProbe(model: Model, pass: BreakerPass): void {
    if (model.state !== 'half_open' || model.probe?.pass !== pass) return;
    model.probe = undefined;
    const isLimit = model.cause === 'limit';
    if (this.health === 'failure' && isLimit && !isTripped(model))
      return limit(model, model.now + PROBE_RETRY_MS);
    if (this.health === 'failure') open(model);
    if (this.health === 'success') model.successes += 1;
    if (model.state === 'half_open' && model.successes >= (isLimit ? 1 : 2)) close(model);
  }

  toString(): string {
    return `report ${this.which} ${this.health}`;
  }
}

/** A call that ends before the next command. */
class Call implements fc.Command<Model, Real> {
  readonly health: CallHealth;

  constructor(health: CallHealth) {
    this.health = health;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const before = model.passes.length;
    new Ask().run(model, real);
    if (model.passes.length > before) new Report(before, this.health).run(model, real);
  }

  toString(): string {
    return `call ${this.health}`;
  }
}

class Wait implements fc.Command<Model, Real> {
  readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  check(): boolean {
    return true;
  }

  run(model: Model): void {
    model.now += this.seconds * SECOND_MS;
  }

  toString(): string {
    return `wait ${this.seconds} s`;
  }
}

class Reset implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, { circuit }: Real): void {
    circuit.reset(model.now);
    close(model);
  }

  toString(): string {
    return 'reset';
  }
}

/** The provider announces a limit: in the past, or earlier or later than the previous one. */
class Limit implements fc.Command<Model, Real> {
  readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, { circuit }: Real): void {
    const until = model.now + this.seconds * SECOND_MS;
    circuit.limit(until, model.now);
    const isLater = model.state !== 'open' || until > model.probeAt;
    const isFailing = model.state !== 'closed' && model.cause === 'failures';
    if (until > model.now && isLater && !isFailing) limit(model, until);
  }

  toString(): string {
    return `limit ${this.seconds}`;
  }
}

class ClearLimit implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, { circuit }: Real): void {
    circuit.clearLimit(model.now);
    if (model.state !== 'closed' && model.cause === 'limit') close(model);
  }

  toString(): string {
    return 'clear the limit';
  }
}

/** Compares the view with the model. */
class Look implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, { circuit }: Real): void {
    const view = circuit.view(model.now, 0);
    const isOver = model.now >= model.probeAt;
    assert.equal(view.state, model.state === 'open' && isOver ? 'half_open' : model.state);
    assert.equal(circuit.isClosed, model.state === 'closed');
    assert.equal(view.cause, model.state === 'closed' ? undefined : model.cause);
    assert.equal(circuit.openCause, view.cause);
    if (model.state === 'open') assert.equal(view.nextProbeAt, model.probeAt);
    const { failures, calls } = inWindow(model);
    assert.deepEqual([view.failuresInWindow, view.callsInWindow], [failures, calls]);
    assert.equal(view.openedAt, model.state === 'closed' ? undefined : model.openedAt);
    assert.equal(view.successesInHalfOpen, model.state === 'half_open' ? model.successes : 0);
  }

  toString(): string {
    return 'look';
  }
}

test('the circuit agrees with its model after any sequence of events', () => {
  const health = fc.constantFrom<CallHealth>(...HEALTHS, 'failure');
  const call = health.map((each) => new Call(each));
  const wait = fc.oneof(fc.nat(9), fc.constant(60)).map((seconds) => new Wait(seconds));
  const report = fc.tuple(fc.nat(20), health).map(([which, each]) => new Report(which, each));
  const limited = fc.integer({ min: -1, max: 20 }).map((seconds) => new Limit(seconds));
  const cleared = fc.constant(new ClearLimit());
  const rest = fc.constantFrom(new Ask(), new Ask(), new Ask(), new Ask(), new Ask(), new Reset());
  const look = fc.constant(new Look());
  const often = [call, call, call, wait, wait, report, rest, look];
  const commands = fc.commands([...often, ...often, limited, cleared], {
    maxCommands: 300,
    size: 'max',
  });
  fc.assert(
    fc.property(commands, (steps) => {
      const transitions: CircuitTransition[] = [];
      const onTransition = (each: CircuitTransition) => void transitions.push(each);
      const rules = BREAKER_DEFAULTS;
      const circuit = new LocalCircuit({ key: KEY, rules, leaseMs: LEASE_MS, onTransition });
      const model: Model = {
        state: 'closed',
        now: 1_000_000 * SECOND_MS,
        calls: [],
        cause: 'failures',
        openedAt: 0,
        probeAt: 0,
        successes: 0,
        probe: undefined,
        passes: [],
      };
      fc.modelRun(() => ({ model, real: { circuit, transitions, probes: 0 } }), steps);
      for (const [index, { from, to }] of transitions.entries()) {
        assert.equal(from, transitions[index - 1]?.to ?? 'closed');
        assert.ok(Object.values(CIRCUIT_EXITS[from]).flat().includes(to));
      }
    }),
    { numRuns: 300 },
  );
});
