import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryBreakerBoard } from '../adapters/memory/breaker-board.ts';
import type { BreakerAnswer, BreakerPass, CallHealth } from './breaker-board.ts';
import { BREAKER_DEFAULTS } from './circuit-breaker.ts';
import { spareOrganizations } from './spare-organizations.ts';

const KEY = { provider: 'openai', region: 'us-east' };
const CALL: BreakerPass = { key: KEY, probe: undefined };
const { openMs, failures } = BREAKER_DEFAULTS;

function open() {
  const clock = createTestClock();
  let probes = 0;
  const board = spareOrganizations(
    createMemoryBreakerBoard({
      rules: BREAKER_DEFAULTS,
      clock,
      newProbeId: () => `probe-${(probes += 1)}`,
      longestCallMs: 600_000,
      onTransition: () => {},
    }),
    clock,
  );
  function request(organization: string): BreakerAnswer {
    const answers: BreakerAnswer[] = [];
    board.requestPass(KEY, (answer) => void answers.push(answer), organization);
    const [answer] = answers;
    assert.ok(answer);
    return answer;
  }
  function begin(organization: string): BreakerPass {
    const answer = request(organization);
    assert.ok(answer.isAllowed, `${organization} is refused`);
    return answer.pass;
  }
  const call = (organization: string, health: CallHealth) =>
    board.report(begin(organization), health, organization);
  /** The failures of the only organisation that calls. */
  function openCircuit(): void {
    for (let n = 0; n < failures; n += 1) board.report(CALL, 'failure', 'hostile');
    assert.equal(board.isClosed(KEY), false);
  }
  return { board, clock, request, begin, call, openCircuit };
}

test('an open circuit without a failed probe refuses every organisation', async () => {
  const { clock, request, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs - 1);
  for (const organization of ['hostile', 'other'])
    assert.equal(request(organization).isAllowed, false);
});

test('an organisation whose call succeeds passes a circuit that the probes of another keep open', async () => {
  const { board, clock, request, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  call('hostile', 'failure');
  for (let n = 0; n < 3; n += 1) call('other', 'success');
  assert.equal(request('hostile').isAllowed, false);
  assert.equal(board.isClosed(KEY), false);
});

test('one organisation at a time is on trial, and it is refused after a failure', async () => {
  const { board, clock, request, begin, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  call('hostile', 'failure');
  const trial = begin('other');
  assert.equal(request('third').isAllowed, false);
  board.report(trial, 'failure', 'other');
  assert.equal(request('third').isAllowed, false);
  await clock.advance(5000);
  assert.equal(request('other').isAllowed, false);
  assert.ok(begin('third'));
});

test('a probe that does not end holds up another organisation for 15 seconds', async () => {
  const { clock, request, begin, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  assert.ok(begin('hostile').probe);
  await clock.advance(14_999);
  assert.equal(request('other').isAllowed, false);
  await clock.advance(1);
  call('other', 'success');
  assert.equal(request('hostile').isAllowed, false);
});

test('a spared organisation is refused after a failure', async () => {
  const { clock, request, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  call('hostile', 'failure');
  call('other', 'success');
  call('other', 'failure');
  assert.equal(request('other').isAllowed, false);
});

test('the end of a limit is not anticipated', async () => {
  const { board, clock, request, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  call('hostile', 'failure');
  await board.reset(KEY);
  await board.limitUntil(KEY, clock.now() + 60_000);
  assert.equal(request('other').isAllowed, false);
});

test('after an inconclusive probe another refused organisation makes the next probe', async () => {
  const { board, clock, request, begin, call, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  const probe = begin('hostile');
  assert.equal(request('other').isAllowed, false);
  board.report(probe, 'neutral');
  assert.equal(request('hostile').isAllowed, false);
  await clock.advance(10_000);
  assert.equal(request('hostile').isAllowed, false);
  call('other', 'success');
  assert.equal(request('hostile').isAllowed, false);
  call('other', 'success');
  assert.equal(board.isClosed(KEY), true);
  assert.ok(begin('hostile'));
});

test('the only calling organisation probes again after an inconclusive probe', async () => {
  const { board, clock, begin, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  board.report(begin('hostile'), 'neutral', 'hostile');
  assert.ok(begin('hostile').probe);
});

test('an organisation probes again after 15 seconds if no other one has come for the probe', async () => {
  const { board, clock, request, begin, openCircuit } = open();
  openCircuit();
  await clock.advance(openMs);
  const probe = begin('hostile');
  request('other');
  board.report(probe, 'neutral', 'hostile');
  await clock.advance(15_000);
  assert.ok(begin('hostile').probe);
});

test('a probe of a model that does not end lets another organisation pass on trial', async () => {
  const { board, clock } = open();
  const key = { ...KEY, model: 'gpt-5-mini' };
  const request = (organization: string): BreakerAnswer | undefined => {
    let given: BreakerAnswer | undefined;
    board.requestPass(key, (answer) => void (given = answer), organization);
    return given;
  };
  await board.limitUntil(key, clock.now() + 1000);
  await clock.advance(1000);
  assert.equal(request('hostile')?.isAllowed, true);
  assert.equal(request('other')?.isAllowed, false);
  await clock.advance(15_000);
  assert.equal(request('other')?.isAllowed, true);
});

/** The circuits of a cluster, as two of its servers use them. */
function openCluster() {
  const clock = createTestClock();
  let probes = 0;
  const shared = createMemoryBreakerBoard({
    rules: BREAKER_DEFAULTS,
    clock,
    newProbeId: () => `probe-${(probes += 1)}`,
    longestCallMs: 600_000,
    onTransition: () => {},
  });
  for (let n = 0; n < failures; n += 1) shared.report(CALL, 'failure', 'hostile');
  const server = () => {
    const board = spareOrganizations(shared, clock);
    const request = (organization: string): BreakerAnswer | undefined => {
      let given: BreakerAnswer | undefined;
      board.requestPass(KEY, (answer) => (given = answer), organization);
      return given;
    };
    return { board, request };
  };
  return { clock, here: server(), there: server() };
}

test('a probe of another server that does not end holds up an organisation for 15 seconds', async () => {
  const { clock, here, there } = openCluster();
  await clock.advance(openMs);
  assert.equal(here.request('hostile')?.isAllowed, true);
  for (let seconds = 0; seconds < 15; seconds += 1) {
    assert.equal(there.request('other')?.isAllowed, false);
    await clock.advance(1000);
  }
  assert.equal(there.request('other')?.isAllowed, true);
});

test('a failed probe of another server lets an organisation pass on trial', async () => {
  const { clock, here, there } = openCluster();
  assert.equal(there.request('other')?.isAllowed, false);
  await clock.advance(openMs);
  const probe = here.request('hostile');
  assert.ok(probe?.isAllowed);
  here.board.report(probe.pass, 'failure', 'hostile');
  assert.equal(there.request('other')?.isAllowed, true);
});
