import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, breakerBoardContract, CONTRACT_RULES } from '../../../test/contract/breaker-board.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { CircuitTransition } from '../../resilience/breaker-board.ts';
import { createMemoryBreakerBoard } from './breaker-board.ts';

function openBoard(rules = CONTRACT_RULES) {
  const clock = createTestClock();
  const moves: CircuitTransition[] = [];
  let probes = 0;
  const board = createMemoryBreakerBoard({
    rules,
    clock,
    newProbeId: () => `probe-${(probes += 1)}`,
    longestCallMs: 600_000,
    onMove: (move) => void moves.push(move),
  });
  return { board, clock, moves };
}

breakerBoardContract('memory', async (rules) => {
  const { board, clock, moves } = openBoard(rules);
  return {
    board,
    moves,
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    settled: async () => {},
    close: () => board.close(),
  };
});

test('a probe whose end is never told is given up when no call could still last', async () => {
  const { board, clock } = openBoard();
  const pass = { provider: 'openai', region: 'us-east', probe: undefined };
  for (let call = 0; call < 5; call += 1) board.report(pass, 'failure');
  await clock.advance(CONTRACT_RULES.openMs);
  assert.equal((await ask(board, 'openai', 'us-east')).isAllowed, true);
  await clock.advance(599_999);
  assert.equal((await ask(board, 'openai', 'us-east')).isAllowed, false);
  await clock.advance(1);
  assert.equal((await ask(board, 'openai', 'us-east')).isAllowed, true);
});
