// The rules of the state machine, one by one; circuit-breaker.properties.test.ts combines them at random.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { CallHealth } from './breaker-board.ts';
import { CallWindow } from './call-window.ts';
import { BREAKER_DEFAULTS, CIRCUIT_EXITS, CLOSED, stepCircuit } from './circuit-breaker.ts';
import { LocalCircuit } from './local-circuit.ts';

const KEY = { provider: 'anthropic', region: 'us-east' };
const LEASE_MS = 15_000;
const HEALTHS = ['success', 'failure', 'neutral'] as const;
const CAUSES = ['failures', 'limit'] as const;

test('each event leads to a state that the table lists, or changes nothing', () => {
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
    { kind: 'probe_requested', at: 7, id: 'q', leaseMs: 10 },
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

function callTimes(circuit: LocalCircuit, health: CallHealth, times: number, at: number): void {
  for (let call = 0; call < times; call += 1) {
    circuit.count(health, at);
    circuit.decide({ key: KEY, probe: undefined }, health, at);
  }
}

function newCircuit(rules = BREAKER_DEFAULTS): LocalCircuit {
  return new LocalCircuit({ key: KEY, rules, leaseMs: LEASE_MS, onTransition: () => {} });
}

test('five failures open the circuit only if they are at least half of the calls', () => {
  const half = newCircuit();
  callTimes(half, 'success', 5, 0);
  callTimes(half, 'failure', 5, 0);
  assert.equal(half.circuit.state, 'open');
  const less = newCircuit();
  callTimes(less, 'success', 6, 0);
  callTimes(less, 'failure', 5, 0);
  assert.equal(less.circuit.state, 'closed');
  callTimes(less, 'failure', 1, 0);
  assert.equal(less.circuit.state, 'open');
});

test('neutral outcomes count neither as failures nor as calls', () => {
  const circuit = newCircuit();
  callTimes(circuit, 'neutral', 100, 0);
  callTimes(circuit, 'failure', 4, 0);
  assert.equal(circuit.circuit.state, 'closed');
  callTimes(circuit, 'failure', 1, 0);
  assert.equal(circuit.circuit.state, 'open');
});

test('failures older than the window do not count', () => {
  const circuit = newCircuit();
  callTimes(circuit, 'failure', 4, 0);
  callTimes(circuit, 'failure', 1, 60_000);
  assert.equal(circuit.circuit.state, 'closed');
  callTimes(circuit, 'failure', 4, 119_000);
  assert.equal(circuit.circuit.state, 'open');
});

test('the rules set all bounds', () => {
  const rules = { failures: 2, windowMs: 1000, ratio: 0.1, openMs: 50, successesToClose: 1 };
  const circuit = newCircuit(rules);
  callTimes(circuit, 'success', 18, 0);
  callTimes(circuit, 'failure', 2, 0);
  assert.equal(circuit.circuit.state, 'open');
  assert.equal(circuit.requestPass(() => 'p', 49).isAllowed, false);
  const answer = circuit.requestPass(() => 'p', 50);
  assert.ok(answer.isAllowed);
  circuit.decide(answer.pass, 'success', 50);
  assert.equal(circuit.circuit.state, 'closed');
});

function probeAt(circuit: LocalCircuit, now: number) {
  const answer = circuit.requestPass(() => `p-${now}`, now);
  assert.ok(answer.isAllowed);
  return answer.pass;
}

test('one successful probe after a limit closes the circuit', () => {
  const circuit = newCircuit();
  circuit.limit(5000, 0);
  assert.deepEqual(
    circuit.requestPass(() => 'p', 4000),
    { isAllowed: false, retryAfterMs: 1000, cause: 'limit' },
  );
  const pass = probeAt(circuit, 5000);
  assert.equal(circuit.requestPass(() => 'q', 5000).isAllowed, false);
  circuit.decide(pass, 'success', 5100);
  assert.equal(circuit.isClosed, true);
});

test('a probe that meets a new limit opens the circuit until its end', () => {
  const circuit = newCircuit();
  circuit.limit(5000, 0);
  const pass = probeAt(circuit, 5000);
  circuit.limit(9000, 5100);
  circuit.decide(pass, 'neutral', 5100);
  assert.equal(circuit.requestPass(() => 'q', 8999).isAllowed, false);
  probeAt(circuit, 9000);
});

test('failed probes after a limit repeat soon, until the failures open the circuit', () => {
  const circuit = newCircuit();
  circuit.limit(5000, 0);
  for (let failed = 1; failed <= 5; failed += 1) {
    assert.equal(circuit.openCause, 'limit');
    const now = 4000 + failed * 1000;
    const pass = probeAt(circuit, now);
    circuit.count('failure', now);
    circuit.decide(pass, 'failure', now);
  }
  assert.equal(circuit.openCause, 'failures');
  assert.equal(circuit.requestPass(() => 'q', 9000 + BREAKER_DEFAULTS.openMs - 1).isAllowed, false);
});

test('a limit neither shortens nor closes a circuit that failures opened', () => {
  const circuit = newCircuit();
  callTimes(circuit, 'failure', 5, 0);
  circuit.limit(1000, 0);
  circuit.clearLimit(0);
  assert.equal(circuit.openCause, 'failures');
  assert.equal(circuit.requestPass(() => 'p', 59_999).isAllowed, false);
});

test('a call leaves the window at its end or up to one slot early', () => {
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
