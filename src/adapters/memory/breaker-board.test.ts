import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, breakerBoardContract, CONTRACT_RULES } from '../../../test/contract/breaker-board.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { CircuitTransition } from '../../resilience/breaker-board.ts';
import { createMemoryBreakerBoard } from './breaker-board.ts';

const CIRCUIT = { provider: 'openai', region: 'us-east' };

function openBoard(rules = CONTRACT_RULES) {
  const clock = createTestClock();
  const transitions: CircuitTransition[] = [];
  let probes = 0;
  const board = createMemoryBreakerBoard({
    rules,
    clock,
    newProbeId: () => `probe-${(probes += 1)}`,
    longestCallMs: 600_000,
    onTransition: (transition) => void transitions.push(transition),
  });
  return { board, clock, transitions };
}

breakerBoardContract('memory', async (rules) => {
  const { board, clock, transitions } = openBoard(rules);
  return {
    board,
    transitions,
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    settled: async () => {},
    close: () => board.close(),
  };
});

test('a probe that never ends is given up after the longest duration of a call', async () => {
  const { board, clock } = openBoard();
  const pass = { key: CIRCUIT, probe: undefined };
  for (let call = 0; call < 5; call += 1) board.report(pass, 'failure');
  await clock.advance(CONTRACT_RULES.openMs);
  assert.equal((await ask(board, CIRCUIT)).isAllowed, true);
  await clock.advance(599_999);
  assert.equal((await ask(board, CIRCUIT)).isAllowed, false);
  await clock.advance(1);
  assert.equal((await ask(board, CIRCUIT)).isAllowed, true);
});
