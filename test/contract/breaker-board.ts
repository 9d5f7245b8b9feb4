// The contract of BreakerBoard; the test of each adapter calls it with its own board. Time passes on the adapter's clock:
// instantly on a test clock, really on the clock of a real server.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerPass,
  BreakerView,
  CallHealth,
  CircuitTransition,
} from '../../src/resilience/breaker-board.ts';
import { type BreakerRules, PROBE_RETRY_MS } from '../../src/resilience/circuit-breaker.ts';
import {
  type CircuitKey,
  circuitLabel,
  isSameCircuit,
  organizationCircuit,
} from '../../src/resilience/circuit-key.ts';

export type OpenedBreakerBoard = {
  readonly board: BreakerBoard;
  readonly transitions: readonly CircuitTransition[];
  /** The board's own time, epoch milliseconds. */
  now(): number;
  /** Resolves when that much time has passed on the board's clock. */
  pass(ms: number): Promise<void>;
  /** Resolves when every report is decided. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** Short, because some boards are on real time. */
export const CONTRACT_RULES: BreakerRules = {
  failures: 5,
  windowMs: 60_000,
  ratio: 0.5,
  openMs: 200,
  successesToClose: 2,
};

const REGION = 'us-east';
const PATIENT_OPEN_MS = 60_000;
const LIMIT_MS = 200;
/** Each round lasts as long as the board waits for Redis. */
const MAX_ROUNDS = 50;

export function breakerBoardContract(
  adapter: string,
  open: (rules: BreakerRules) => Promise<OpenedBreakerBoard>,
): void {
  describe(`breaker board on ${adapter}`, () => {
    let opened: OpenedBreakerBoard;
    let board: BreakerBoard;
    /** A board with circuits that stay open for the duration of a test. */
    let patient: OpenedBreakerBoard;
    let providers = 0;
    before(async () => {
      opened = await open(CONTRACT_RULES);
      patient = await open({ ...CONTRACT_RULES, openMs: PATIENT_OPEN_MS });
      ({ board } = opened);
    });
    after(async () => {
      await opened.close();
      await patient.close();
    });

    /** Each test uses its own provider, because suites share one Redis. */
    const run = randomBytes(4).toString('hex');
    function newKey(): CircuitKey {
      providers += 1;
      return { provider: `p-${run}-${providers}`, region: REGION };
    }
    async function viewOf(key: CircuitKey, on = opened): Promise<BreakerView | undefined> {
      return (await on.board.list()).find((view) => isSameCircuit(view.key, key));
    }
    async function report(
      key: CircuitKey,
      health: CallHealth,
      times: number,
      on = opened,
      organization?: string,
    ): Promise<void> {
      const pass = { key, probe: undefined };
      for (let call = 0; call < times; call += 1) on.board.report(pass, health, organization);
      await on.settled();
    }
    /** Calls of one organisation. */
    function call(key: CircuitKey, organization: string, health: CallHealth, times = 1) {
      return report(key, health, times, opened, organization);
    }
    function isClosedFor(key: CircuitKey, organization: string): boolean {
      return board.isClosed(key) && board.isClosed(organizationCircuit(key, organization));
    }
    async function openCircuit(): Promise<CircuitKey> {
      const key = newKey();
      await report(key, 'failure', 5);
      assert.equal(board.isClosed(key), false);
      return key;
    }
    /** Acquires the due probe; a board refuses at first if its Redis answers late. */
    async function probesOf(key: CircuitKey, asks = 1): Promise<readonly BreakerPass[]> {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const all = Array.from({ length: asks }, () => ask(board, key));
        const passes = (await Promise.all(all)).flatMap((one) => (one.isAllowed ? [one.pass] : []));
        if (passes.length > 0) return passes;
        await opened.settled();
      }
      throw new Error('no probe is due');
    }
    async function probeOf(key: CircuitKey): Promise<BreakerPass> {
      const [pass] = await probesOf(key);
      assert.ok(pass?.probe !== undefined);
      return pass;
    }
    async function endProbe(key: CircuitKey, health: CallHealth): Promise<void> {
      board.report(await probeOf(key), health);
      await opened.settled();
    }

    it('allows calls while nothing has failed', async () => {
      const key = newKey();
      assert.equal(board.isClosed(key), true);
      const answer = await ask(board, key);
      assert.deepEqual(answer, { isAllowed: true, pass: { key, probe: undefined } });
    });

    it('opens at the fifth failure, in that region only', async () => {
      const key = newKey();
      await report(key, 'failure', 4, patient);
      assert.equal(patient.board.isClosed(key), true);
      await report(key, 'failure', 1, patient);
      assert.equal(patient.board.isClosed(key), false);
      assert.equal(patient.board.isClosed({ ...key, region: 'eu-west' }), true);
      const answer = await ask(patient.board, key);
      assert.ok(!answer.isAllowed);
      assert.ok(answer.retryAfterMs > 0 && answer.retryAfterMs <= PATIENT_OPEN_MS);
    });

    it('keeps the circuits of an account, of a model and of their region apart', async () => {
      const key = newKey();
      const narrower = [
        { ...key, account: 'second' },
        { ...key, model: 'm:1/x' },
        { ...key, account: 'second', model: 'm' },
      ];
      await patient.board.limitUntil({ ...key, model: 'm:1/x' }, patient.now() + PATIENT_OPEN_MS);
      await report({ ...key, account: 'second' }, 'failure', 5, patient);
      assert.deepEqual(
        [key, ...narrower].map((each) => patient.board.openCause(each)),
        [undefined, 'failures', 'limit', undefined],
      );
      const views = await patient.board.list();
      const shown = views.filter((view) => view.key.provider === key.provider);
      assert.deepEqual(shown.map((view) => circuitLabel(view.key)).sort(), [
        `${REGION}/second`,
        `${REGION}:m:1/x`,
      ]);
    });

    it('stays closed while fewer than half of the calls fail', async () => {
      const key = newKey();
      await report(key, 'success', 12);
      await report(key, 'failure', 10);
      assert.equal(board.isClosed(key), true);
      await report(key, 'failure', 2);
      assert.equal(board.isClosed(key), false);
    });

    it('ignores neutral outcomes', async () => {
      const key = newKey();
      await report(key, 'neutral', 50);
      await report(key, 'failure', 4);
      assert.equal(board.isClosed(key), true);
    });

    it('allows one probe after the open time, and no other call until it ends', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      assert.equal((await probesOf(key, 20)).length, 1);
      assert.equal((await ask(board, key)).isAllowed, false);
      assert.equal(board.isClosed(key), false);
    });

    it('closes after two successful probes', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(key, 'success');
      assert.equal((await viewOf(key))?.successesInHalfOpen, 1);
      assert.equal(board.isClosed(key), false);
      await endProbe(key, 'success');
      assert.equal(board.isClosed(key), true);
      assert.equal((await viewOf(key))?.failuresInWindow ?? 0, 0);
    });

    it('opens again for the whole open time when a probe fails', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      const first = await viewOf(key);
      await endProbe(key, 'success');
      await endProbe(key, 'failure');
      const again = await viewOf(key);
      assert.ok((again?.openedAt ?? 0) > (first?.openedAt ?? Number.POSITIVE_INFINITY));
      assert.equal(again?.successesInHalfOpen, 0);
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(key, 'success');
      assert.equal(board.isClosed(key), false);
      await endProbe(key, 'success');
      assert.equal(board.isClosed(key), true);
    });

    it('gives the probe to the next call after a neutral outcome', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(key, 'neutral');
      assert.equal((await viewOf(key))?.successesInHalfOpen, 0);
      await probeOf(key);
    });

    it('ignores late outcomes of calls that began while it was closed', async () => {
      const key = await openCircuit();
      await report(key, 'success', 3);
      assert.equal(board.isClosed(key), false);
      await opened.pass(CONTRACT_RULES.openMs);
      const probe = await probeOf(key);
      await report(key, 'failure', 3);
      await report(key, 'success', 3);
      assert.equal((await viewOf(key))?.state, 'half_open');
      board.report(probe, 'success');
      await opened.settled();
      assert.equal((await viewOf(key))?.successesInHalfOpen, 1);
    });

    it('closes on reset and clears its counts', async () => {
      const key = await openCircuit();
      await board.reset(key);
      assert.equal(board.isClosed(key), true);
      await report(key, 'failure', 4);
      assert.equal(board.isClosed(key), true);
    });

    it('clears the counts of a closed circuit on reset', async () => {
      const key = newKey();
      await report(key, 'failure', 4);
      await board.reset(key);
      await report(key, 'failure', 4);
      assert.equal(board.isClosed(key), true);
    });

    it('lists state, counts, opening time and next probe', async () => {
      const key = newKey();
      await report(key, 'failure', 5, patient);
      const view = await viewOf(key, patient);
      assert.ok(view?.openedAt !== undefined && view.nextProbeAt !== undefined);
      assert.equal(view.nextProbeAt - view.openedAt, PATIENT_OPEN_MS);
      assert.deepEqual(
        [view.key, view.state, view.failuresInWindow, view.callsInWindow],
        [key, 'open', 5, 5],
      );
    });

    it('lists a circuit as half open after the open time, without a next probe during one', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      const view = await viewOf(key);
      assert.equal(view?.state, 'half_open');
      assert.equal(view.nextProbeAt, (view.openedAt ?? 0) + CONTRACT_RULES.openMs);
      await probeOf(key);
      assert.equal((await viewOf(key))?.nextProbeAt, undefined);
    });

    it('notifies each transition once, as decided here', async () => {
      const key = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(key, 'failure');
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(key, 'success');
      await endProbe(key, 'success');
      const transitions = opened.transitions.filter((each) => isSameCircuit(each.key, key));
      assert.deepEqual(
        transitions.map(({ from, to, isDecidedHere }) => [from, to, isDecidedHere]),
        [
          ['closed', 'open', true],
          ['open', 'half_open', true],
          ['half_open', 'open', true],
          ['open', 'half_open', true],
          ['half_open', 'closed', true],
        ],
      );
      assert.equal(transitions[0]?.failures, 5);
    });

    /** A circuit with a short limit. */
    async function limitedCircuit(): Promise<CircuitKey> {
      const key = newKey();
      await board.limitUntil(key, opened.now() + LIMIT_MS);
      return key;
    }

    it('refuses calls until a limit ends, with the limit as the cause', async () => {
      const key = newKey();
      await patient.board.limitUntil(key, patient.now() + PATIENT_OPEN_MS);
      assert.equal(patient.board.isClosed(key), false);
      assert.equal(patient.board.openCause(key), 'limit');
      assert.equal(patient.board.openCause({ ...key, region: 'eu-west' }), undefined);
      const answer = await ask(patient.board, key);
      assert.ok(!answer.isAllowed);
      assert.equal(answer.cause, 'limit');
      assert.ok(answer.retryAfterMs > 0 && answer.retryAfterMs <= PATIENT_OPEN_MS);
      const view = await viewOf(key, patient);
      assert.deepEqual([view?.state, view?.cause], ['open', 'limit']);
    });

    it('allows one probe after a limit, and all calls after its success', async () => {
      const key = await limitedCircuit();
      await opened.pass(LIMIT_MS);
      const [probe, ...others] = await probesOf(key, 20);
      assert.ok(probe?.probe !== undefined && others.length === 0);
      const answer = await ask(board, key);
      assert.deepEqual([answer.isAllowed, !answer.isAllowed && answer.cause], [false, 'limit']);
      board.report(probe, 'success');
      await opened.settled();
      assert.equal(board.isClosed(key), true);
    });

    it('stays open when the probe after a limit meets a new limit', async () => {
      const key = await limitedCircuit();
      await opened.pass(LIMIT_MS);
      const probe = await probeOf(key);
      const untilAt = opened.now() + PATIENT_OPEN_MS;
      const limiting = board.limitUntil(key, untilAt);
      board.report(probe, 'neutral');
      await limiting;
      await opened.settled();
      assert.equal((await ask(board, key)).isAllowed, false);
      assert.ok(Math.abs(((await viewOf(key))?.nextProbeAt ?? 0) - untilAt) < 5000);
    });

    it('repeats the probe after a limit soon when it failed', async () => {
      const key = await limitedCircuit();
      await opened.pass(LIMIT_MS);
      await endProbe(key, 'failure');
      assert.deepEqual((await viewOf(key))?.cause, 'limit');
      await opened.pass(PROBE_RETRY_MS);
      await endProbe(key, 'success');
      assert.equal(board.isClosed(key), true);
    });

    it('moves the end of a limit later and never earlier', async () => {
      const key = newKey();
      const at = patient.now();
      const probeInMs = async () => ((await viewOf(key, patient))?.nextProbeAt ?? 0) - at;
      await patient.board.limitUntil(key, at + 2 * PATIENT_OPEN_MS);
      await patient.board.limitUntil(key, at + PATIENT_OPEN_MS);
      assert.ok((await probeInMs()) > 1.5 * PATIENT_OPEN_MS);
      await patient.board.limitUntil(key, at + 4 * PATIENT_OPEN_MS);
      assert.ok((await probeInMs()) > 3.5 * PATIENT_OPEN_MS);
    });

    it('closes when a limit is cleared, unless failures opened it', async () => {
      const [limited, failing] = [await limitedCircuit(), newKey()];
      await board.clearLimit(limited);
      assert.equal(board.isClosed(limited), true);
      await report(failing, 'failure', 5, patient);
      await patient.board.limitUntil(failing, patient.now() + 1000);
      await patient.board.clearLimit(failing);
      assert.equal(patient.board.openCause(failing), 'failures');
    });

    it('ignores a limit that has ended', async () => {
      const key = newKey();
      await board.limitUntil(key, opened.now() - 1);
      assert.equal(board.isClosed(key), true);
    });

    it('opens for one organisation when it alone fails among several', async () => {
      const key = newKey();
      await call(key, 'healthy', 'success');
      await call(key, 'failing', 'failure', 5);
      assert.deepEqual(
        [isClosedFor(key, 'failing'), isClosedFor(key, 'healthy'), isClosedFor(key, 'new')],
        [false, true, true],
      );
      const answer = await ask(board, organizationCircuit(key, 'failing'));
      assert.deepEqual([answer.isAllowed, !answer.isAllowed && answer.cause], [false, 'failures']);
      assert.equal(board.hasOpen(), true);
    });

    it('reports how long the circuit of an organisation refuses calls, until its probe is due', async () => {
      const key = newKey();
      const own = organizationCircuit(key, 'failing');
      assert.equal(board.openForMs(own), 0);
      await call(key, 'healthy', 'success');
      await call(key, 'failing', 'failure', 5);
      const waitMs = board.openForMs(own);
      assert.ok(waitMs > 0 && waitMs <= CONTRACT_RULES.openMs, String(waitMs));
      assert.equal(board.openForMs(organizationCircuit(key, 'healthy')), 0);
      await opened.pass(CONTRACT_RULES.openMs);
      assert.equal(board.openForMs(own), 0);
      const [probe] = await probesOf(own, 1);
      assert.ok(probe && board.openForMs(own) > 0, 'other calls wait for the probe');
      board.report(probe, 'neutral', 'failing');
      await opened.settled();
    });

    it('does not open for all by failures of one organisation after others closed it', async () => {
      const key = newKey();
      await call(key, 'hostile', 'failure', 5);
      assert.equal(board.isClosed(key), false);
      await opened.pass(CONTRACT_RULES.openMs);
      for (let probe = 0; probe < CONTRACT_RULES.successesToClose; probe += 1) {
        board.report(await probeOf(key), 'success', 'other');
        await opened.settled();
      }
      await call(key, 'hostile', 'failure', 5);
      assert.deepEqual([isClosedFor(key, 'hostile'), isClosedFor(key, 'other')], [false, true]);
    });

    it('opens for all when two organisations fail', async () => {
      const key = newKey();
      await call(key, 'first', 'failure', 4);
      await call(key, 'second', 'failure');
      assert.equal(board.isClosed(key), false);
      assert.equal(board.isClosed(organizationCircuit(key, 'first')), true);
    });

    it('opens for all when the only organisation that called fails', async () => {
      const key = newKey();
      await call(key, 'only', 'failure', 5);
      assert.equal(board.isClosed(key), false);
      assert.equal(board.isClosed(organizationCircuit(key, 'only')), true);
    });

    it('counts an organisation as a caller whatever the outcome of its call', async () => {
      const key = newKey();
      await call(key, 'throttled', 'neutral');
      await call(key, 'failing', 'failure', 5);
      assert.deepEqual([board.isClosed(key), isClosedFor(key, 'failing')], [true, false]);
    });

    it('opens for one organisation only after doubtful failures, even if no other called', async () => {
      const key = newKey();
      await call(key, 'provoking', 'doubtful', 4);
      assert.equal(isClosedFor(key, 'provoking'), true);
      await call(key, 'provoking', 'doubtful', 2);
      assert.deepEqual([board.isClosed(key), isClosedFor(key, 'provoking')], [true, false]);
    });

    it('keeps the circuit of an organisation closed while fewer than half of its calls fail', async () => {
      const key = newKey();
      await call(key, 'other', 'success', 1);
      await call(key, 'mixed', 'success', 12);
      await call(key, 'mixed', 'failure', 10);
      assert.equal(isClosedFor(key, 'mixed'), true);
      await call(key, 'mixed', 'failure', 2);
      assert.equal(isClosedFor(key, 'mixed'), false);
    });

    it('opens for all after the circuit of one when a second organisation fails', async () => {
      const key = newKey();
      await call(key, 'second', 'success');
      await call(key, 'first', 'failure', 6);
      assert.equal(board.isClosed(key), true);
      await call(key, 'second', 'failure');
      await opened.settled();
      assert.equal(board.isClosed(key), false);
      assert.equal(board.isClosed(organizationCircuit(key, 'first')), true);
    });

    it('opens for one organisation when a second has one failure among its successes', async () => {
      const key = newKey();
      await call(key, 'second', 'success', 9);
      await call(key, 'second', 'failure');
      await call(key, 'first', 'failure', 20);
      assert.deepEqual(
        [isClosedFor(key, 'first'), isClosedFor(key, 'second'), isClosedFor(key, 'third')],
        [false, true, true],
      );
    });

    it('allows one probe of an organisation, and closes its circuit after two successes', async () => {
      const key = newKey();
      const own = organizationCircuit(key, 'failing');
      await call(key, 'healthy', 'success');
      await call(key, 'failing', 'failure', 5);
      await opened.pass(CONTRACT_RULES.openMs);
      const [probe, ...others] = await probesOf(own, 20);
      assert.ok(probe?.probe !== undefined && others.length === 0);
      board.report(probe, 'success', 'failing');
      await opened.settled();
      assert.equal(board.isClosed(own), false);
      await endProbe(own, 'success');
      assert.equal(board.isClosed(own), true);
      await call(key, 'failing', 'failure', 4);
      assert.equal(isClosedFor(key, 'failing'), true);
    });

    it('clears the counts of single organisations when the circuit of all is reset', async () => {
      const key = newKey();
      await call(key, 'failing', 'failure', 5);
      await board.reset(key);
      await call(key, 'healthy', 'success');
      await call(key, 'failing', 'failure', 4);
      assert.equal(isClosedFor(key, 'failing'), true);
      await call(key, 'failing', 'failure');
      assert.deepEqual([board.isClosed(key), isClosedFor(key, 'failing')], [true, false]);
    });

    it('lists the open circuit of an organisation, and closes it on reset', async () => {
      const key = newKey();
      const own = organizationCircuit(key, 'failing');
      await call(key, 'healthy', 'success');
      await call(key, 'failing', 'failure', 5);
      const view = await viewOf(own);
      assert.deepEqual(
        [view?.key.organization, view?.state, view?.failuresInWindow],
        ['failing', 'open', 5],
      );
      await board.reset(own);
      assert.equal(isClosedFor(key, 'failing'), true);
      assert.equal(await viewOf(own), undefined);
    });

    it('tolerates repeated close', async () => {
      const other = await open(CONTRACT_RULES);
      await other.board.close();
      await other.board.close();
      await other.close();
    });
  });
}

export function ask(
  board: BreakerBoard,
  key: CircuitKey,
  organization?: string,
): Promise<BreakerAnswer> {
  return new Promise((resolve) => board.requestPass(key, resolve, organization));
}
