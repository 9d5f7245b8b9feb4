// The rules of the machine, one by one; circuit-breaker.properties.test.ts plays them in any order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { CallHealth } from './breaker-board.ts';
import { CallWindow } from './call-window.ts';
import { BREAKER_DEFAULTS, CIRCUIT_EXITS, CLOSED, stepCircuit } from './circuit-breaker.ts';
import { LocalCircuit } from './local-circuit.ts';

const PLACE = { provider: 'anthropic', region: 'us-east' };
const LEASE_MS = 15_000;
const HEALTHS = ['success', 'failure', 'neutral'] as const;
const CAUSES = ['failures', 'limit'] as const;

test('every event in every state leads where the table says, or nowhere', () => {
  const probe = { id: 'p', until: 10 };
  const circuits = [
    CLOSED,
    ...CAUSES.flatMap((cause) => [
      { state: 'open', cause, openedAt: 0, probeAt: 5 } as const,
      { state: 'half_open', cause, openedAt: 0, successes: 0, probe } as const,
      { state: 'half_open', cause, openedAt: 0, successes: 1, probe } as const,
    ]),
  ];
  const events = [
    { kind: 'tripped', at: 7 },
    { kind: 'probe_asked', at: 7, id: 'q', leaseMs: 10 },
    { kind: 'limited', at: 7, until: 8 },
    { kind: 'limited', at: 7, until: 7 },
    { kind: 'limit_cleared' },
    { kind: 'reset' },
    ...HEALTHS.flatMap((health) =>
      [true, false].map(
        (isTripped) => ({ kind: 'probe_ended', at: 7, id: 'p', health, isTripped }) as const,
      ),
    ),
  ] as const;
  for (const circuit of circuits) {
    for (const event of events) {
      const { state } = stepCircuit(BREAKER_DEFAULTS, circuit, event);
      const exits = CIRCUIT_EXITS[circuit.state][event.kind] ?? [];
      assert.ok(state === circuit.state || exits.includes(state), `${circuit.state} ${event.kind}`);
    }
  }
});

function open5(keeper: LocalCircuit, health: CallHealth, times: number, at: number): void {
  for (let call = 0; call < times; call += 1) {
    keeper.count(health, at);
    keeper.decide({ ...PLACE, probe: undefined }, health, at);
  }
}

function newKeeper(rules = BREAKER_DEFAULTS): LocalCircuit {
  return new LocalCircuit({ ...PLACE, rules, leaseMs: LEASE_MS, onMove: () => {} });
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

function probeAt(keeper: LocalCircuit, now: number) {
  const answer = keeper.ask(() => `p-${now}`, now);
  assert.ok(answer.isAllowed);
  return answer.pass;
}

test('after a limit one probe goes first, and one that goes well is enough', () => {
  const keeper = newKeeper();
  keeper.limit(5000, 0);
  assert.deepEqual(
    keeper.ask(() => 'p', 4000),
    { isAllowed: false, retryAfterMs: 1000, cause: 'limit' },
  );
  const pass = probeAt(keeper, 5000);
  assert.equal(keeper.ask(() => 'q', 5000).isAllowed, false);
  keeper.decide(pass, 'success', 5100);
  assert.equal(keeper.isClosed, true);
});

test('a probe that meets a new limit waits for that one', () => {
  const keeper = newKeeper();
  keeper.limit(5000, 0);
  const pass = probeAt(keeper, 5000);
  keeper.limit(9000, 5100);
  keeper.decide(pass, 'neutral', 5100);
  assert.equal(keeper.ask(() => 'q', 8999).isAllowed, false);
  probeAt(keeper, 9000);
});

test('probes that fail after a limit follow each other soon, until failures open the circuit', () => {
  const keeper = newKeeper();
  keeper.limit(5000, 0);
  for (let failed = 1; failed <= 5; failed += 1) {
    assert.equal(keeper.heldBy, 'limit');
    const now = 4000 + failed * 1000;
    const pass = probeAt(keeper, now);
    keeper.count('failure', now);
    keeper.decide(pass, 'failure', now);
  }
  assert.equal(keeper.heldBy, 'failures');
  assert.equal(keeper.ask(() => 'q', 9000 + BREAKER_DEFAULTS.openMs - 1).isAllowed, false);
});

test('a limit neither shortens nor forgets what failures have opened', () => {
  const keeper = newKeeper();
  open5(keeper, 'failure', 5, 0);
  keeper.limit(1000, 0);
  keeper.clearLimit(0);
  assert.equal(keeper.heldBy, 'failures');
  assert.equal(keeper.ask(() => 'p', 59_999).isAllowed, false);
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
