// The machine against a model of itself, whatever happens to it in whatever order, and its own rules one by one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { BreakerMove, BreakerPass, CallHealth } from './breaker-board.ts';
import { BREAKER_DEFAULTS, CIRCUIT_EXITS, CLOSED, stepCircuit } from './circuit-breaker.ts';
import { CircuitKeeper } from './circuit-breaker-keeper.ts';
import { CallWindow } from './circuit-breaker-window.ts';

const PLACE = { provider: 'anthropic', region: 'us-east' };
const SECOND_MS = 1000;
const LEASE_MS = 15_000;
const HEALTHS = ['success', 'failure', 'neutral'] as const;

/** What a reader of the specification would write down, with every call remembered. */
type Model = {
  state: 'closed' | 'open' | 'half_open';
  now: number;
  calls: { at: number; isFailure: boolean }[];
  openedAt: number;
  successes: number;
  probe: { pass: BreakerPass; until: number } | undefined;
  /** Passes that nobody has reported yet. */
  passes: BreakerPass[];
};

type Real = { readonly keeper: CircuitKeeper; readonly moves: BreakerMove[]; probes: number };

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
  model.openedAt = model.now;
  model.probe = undefined;
}

class Ask implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const answer = real.keeper.ask(() => `probe-${(real.probes += 1)}`, model.now);
    const isOver = model.now >= model.openedAt + BREAKER_DEFAULTS.openMs;
    const isFree = !model.probe || model.probe.until <= model.now;
    const isProbe = (model.state === 'open' && isOver) || (model.state === 'half_open' && isFree);
    assert.equal(answer.isAllowed, model.state === 'closed' || isProbe);
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
    real.keeper.count(health, model.now);
    real.keeper.decide(pass, health, model.now);
    if (pass.probe !== undefined) this.#endProbe(model, pass);
    else if (model.state === 'closed' && health === 'failure') {
      const { failures, calls } = inWindow(model);
      if (failures >= 5 && 2 * failures >= calls) open(model);
    }
  }

  #endProbe(model: Model, pass: BreakerPass): void {
    if (model.state !== 'half_open' || model.probe?.pass !== pass) return;
    model.probe = undefined;
    if (this.health === 'failure') open(model);
    if (this.health === 'success') model.successes += 1;
    if (model.state === 'half_open' && model.successes >= 2) close(model);
  }

  toString(): string {
    return `report ${this.which} ${this.health}`;
  }
}

/** A call that is over before the next thing happens. */
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

  run(model: Model, { keeper }: Real): void {
    keeper.reset(model.now);
    close(model);
  }

  toString(): string {
    return 'reset';
  }
}

/** What people see is what the model says. */
class Look implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }

  run(model: Model, { keeper }: Real): void {
    const view = keeper.view(model.now, 0);
    const isOver = model.now >= model.openedAt + BREAKER_DEFAULTS.openMs;
    assert.equal(view.state, model.state === 'open' && isOver ? 'half_open' : model.state);
    assert.equal(keeper.isClosed, model.state === 'closed');
    const { failures, calls } = inWindow(model);
    assert.deepEqual([view.failuresInWindow, view.callsInWindow], [failures, calls]);
    assert.equal(view.openedAt, model.state === 'closed' ? undefined : model.openedAt);
    assert.equal(view.successesInHalfOpen, model.state === 'half_open' ? model.successes : 0);
  }

  toString(): string {
    return 'look';
  }
}

test('it agrees with a model of itself, whatever happens in whatever order', () => {
  const health = fc.constantFrom<CallHealth>(...HEALTHS, 'failure');
  const call = health.map((each) => new Call(each));
  const wait = fc.oneof(fc.nat(9), fc.constant(60)).map((seconds) => new Wait(seconds));
  const report = fc.tuple(fc.nat(20), health).map(([which, each]) => new Report(which, each));
  const rest = fc.constantFrom(new Ask(), new Ask(), new Ask(), new Ask(), new Ask(), new Reset());
  const commands = fc.commands([call, call, call, wait, report, rest, fc.constant(new Look())], {
    maxCommands: 300,
    size: 'max',
  });
  fc.assert(
    fc.property(commands, (steps) => {
      const moves: BreakerMove[] = [];
      const onMove = (move: BreakerMove) => void moves.push(move);
      const rules = BREAKER_DEFAULTS;
      const keeper = new CircuitKeeper({ ...PLACE, rules, leaseMs: LEASE_MS, onMove });
      const model: Model = {
        state: 'closed',
        now: 1_000_000 * SECOND_MS,
        calls: [],
        openedAt: 0,
        successes: 0,
        probe: undefined,
        passes: [],
      };
      fc.modelRun(() => ({ model, real: { keeper, moves, probes: 0 } }), steps);
      for (const [index, move] of moves.entries()) {
        assert.equal(move.from, moves[index - 1]?.to ?? 'closed');
        assert.ok(Object.values(CIRCUIT_EXITS[move.from]).flat().includes(move.to));
      }
    }),
    { numRuns: 300 },
  );
});

test('every event in every state leads where the table says, or nowhere', () => {
  const probe = { id: 'p', until: 10 };
  const circuits = [
    CLOSED,
    { state: 'open', openedAt: 0, probeAt: 5 },
    { state: 'half_open', openedAt: 0, successes: 0, probe },
    { state: 'half_open', openedAt: 0, successes: 1, probe },
  ] as const;
  const events = [
    { kind: 'tripped', at: 7 },
    { kind: 'probe_asked', at: 7, id: 'q', leaseMs: 10 },
    { kind: 'reset' },
    ...HEALTHS.map((health) => ({ kind: 'probe_ended', at: 7, id: 'p', health }) as const),
  ] as const;
  for (const circuit of circuits) {
    for (const event of events) {
      const { state } = stepCircuit(BREAKER_DEFAULTS, circuit, event);
      const exits = CIRCUIT_EXITS[circuit.state][event.kind] ?? [];
      assert.ok(state === circuit.state || exits.includes(state), `${circuit.state} ${event.kind}`);
    }
  }
});

function open5(keeper: CircuitKeeper, health: CallHealth, times: number, at: number): void {
  for (let call = 0; call < times; call += 1) {
    keeper.count(health, at);
    keeper.decide({ ...PLACE, probe: undefined }, health, at);
  }
}

function newKeeper(rules = BREAKER_DEFAULTS): CircuitKeeper {
  return new CircuitKeeper({ ...PLACE, rules, leaseMs: LEASE_MS, onMove: () => {} });
}

test('five failures open it only when they are at least half of the calls', () => {
  const half = newKeeper();
  open5(half, 'success', 5, 0);
  open5(half, 'failure', 5, 0);
  assert.equal(half.circuit.state, 'open');
  const less = newKeeper();
  open5(less, 'success', 6, 0);
  open5(less, 'failure', 5, 0);
  assert.equal(less.circuit.state, 'closed');
  open5(less, 'failure', 1, 0);
  assert.equal(less.circuit.state, 'open');
});

test('throttles, limits and callers’ mistakes count neither as failures nor as calls', () => {
  const keeper = newKeeper();
  open5(keeper, 'neutral', 100, 0);
  open5(keeper, 'failure', 4, 0);
  assert.equal(keeper.circuit.state, 'closed');
  open5(keeper, 'failure', 1, 0);
  assert.equal(keeper.circuit.state, 'open');
});

test('failures that are a minute old do not count', () => {
  const keeper = newKeeper();
  open5(keeper, 'failure', 4, 0);
  open5(keeper, 'failure', 1, 60_000);
  assert.equal(keeper.circuit.state, 'closed');
  open5(keeper, 'failure', 4, 119_000);
  assert.equal(keeper.circuit.state, 'open');
});

test('its bounds are what the rules say', () => {
  const rules = { failures: 2, windowMs: 1000, ratio: 0.1, openMs: 50, successesToClose: 1 };
  const keeper = newKeeper(rules);
  open5(keeper, 'success', 18, 0);
  open5(keeper, 'failure', 2, 0);
  assert.equal(keeper.circuit.state, 'open');
  assert.equal(keeper.ask(() => 'p', 49).isAllowed, false);
  const answer = keeper.ask(() => 'p', 50);
  assert.ok(answer.isAllowed);
  keeper.decide(answer.pass, 'success', 50);
  assert.equal(keeper.circuit.state, 'closed');
});

test('a window forgets call by call, for windows of any length', () => {
  const times = fc.array(fc.tuple(fc.nat(5000), fc.boolean()), { maxLength: 100 });
  fc.assert(
    fc.property(times, fc.constantFrom(60, 600, 6000, 1000), (steps, windowMs) => {
      const window = new CallWindow(windowMs);
      const slotMs = windowMs / 60;
      let now = 0;
      const calls: { at: number; isFailure: boolean }[] = [];
      for (const [waitMs, isFailure] of steps) {
        now += waitMs / 7;
        window.add(isFailure, now);
        calls.push({ at: now, isFailure });
        const totals = window.totals(now);
        const surely = calls.filter(({ at }) => at > now - windowMs + slotMs).length;
        const atMost = calls.filter(({ at }) => at > now - windowMs).length;
        assert.ok(totals.calls >= surely && totals.calls <= atMost);
        assert.ok(totals.failures <= totals.calls);
      }
    }),
  );
});
