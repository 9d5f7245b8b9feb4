// What every BreakerBoard promises to the server that uses it. The test of each adapter calls this with its own. Time
// passes as the adapter's own clock has it: at once in a test's clock, really in a real server's.

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
import { type BreakerRules, PROBE_AGAIN_MS } from '../../src/resilience/circuit-breaker.ts';

export type OpenedBreakerBoard = {
  readonly board: BreakerBoard;
  readonly moves: readonly CircuitTransition[];
  /** The board's own time, epoch milliseconds. */
  now(): number;
  /** Resolves when so much time has passed for the board. */
  pass(ms: number): Promise<void>;
  /** Resolves when everything reported is decided. */
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
/** Each takes as long as the board waits for an answer. */
const MAX_ROUNDS = 50;

export function breakerBoardContract(
  adapter: string,
  open: (rules: BreakerRules) => Promise<OpenedBreakerBoard>,
): void {
  describe(`breaker board on ${adapter}`, () => {
    let opened: OpenedBreakerBoard;
    let board: BreakerBoard;
    /** Whose circuits stay open for as long as a test looks at them. */
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

    /** Every test has a provider of its own, also where suites follow each other on one Redis. */
    const run = randomBytes(4).toString('hex');
    function newProvider(): string {
      providers += 1;
      return `p-${run}-${providers}`;
    }
    async function viewOf(provider: string, on = opened): Promise<BreakerView | undefined> {
      return (await on.board.list()).find((view) => view.provider === provider);
    }
    async function report(
      provider: string,
      health: CallHealth,
      times: number,
      on = opened,
    ): Promise<void> {
      const pass = { provider, region: REGION, probe: undefined };
      for (let call = 0; call < times; call += 1) on.board.report(pass, health);
      await on.settled();
    }
    async function openCircuit(): Promise<string> {
      const provider = newProvider();
      await report(provider, 'failure', 5);
      assert.equal(board.isClosed(provider, REGION), false);
      return provider;
    }
    /** A probe that is due; a shared board that is slow to answer may refuse at first. */
    async function probesOf(provider: string, asks = 1): Promise<readonly BreakerPass[]> {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const all = Array.from({ length: asks }, () => ask(board, provider, REGION));
        const passes = (await Promise.all(all)).flatMap((one) => (one.isAllowed ? [one.pass] : []));
        if (passes.length > 0) return passes;
        await opened.settled();
      }
      throw new Error('no probe is due');
    }
    async function probeOf(provider: string): Promise<BreakerPass> {
      const [pass] = await probesOf(provider);
      assert.ok(pass?.probe !== undefined);
      return pass;
    }
    async function endProbe(provider: string, health: CallHealth): Promise<void> {
      board.report(await probeOf(provider), health);
      await opened.settled();
    }

    it('lets everything through while nothing has failed', async () => {
      const provider = newProvider();
      assert.equal(board.isClosed(provider, REGION), true);
      const answer = await ask(board, provider, REGION);
      assert.deepEqual(answer, {
        isAllowed: true,
        pass: { provider, region: REGION, probe: undefined },
      });
    });

    it('opens at the fifth failure, in that region alone', async () => {
      const provider = newProvider();
      await report(provider, 'failure', 4, patient);
      assert.equal(patient.board.isClosed(provider, REGION), true);
      await report(provider, 'failure', 1, patient);
      assert.equal(patient.board.isClosed(provider, REGION), false);
      assert.equal(patient.board.isClosed(provider, 'eu-west'), true);
      const answer = await ask(patient.board, provider, REGION);
      assert.ok(!answer.isAllowed);
      assert.ok(answer.retryAfterMs > 0 && answer.retryAfterMs <= PATIENT_OPEN_MS);
    });

    it('stays closed while less than half of the calls fail', async () => {
      const provider = newProvider();
      await report(provider, 'success', 12);
      await report(provider, 'failure', 10);
      assert.equal(board.isClosed(provider, REGION), true);
      await report(provider, 'failure', 2);
      assert.equal(board.isClosed(provider, REGION), false);
    });

    it('is not moved by what says nothing about health', async () => {
      const provider = newProvider();
      await report(provider, 'neutral', 50);
      await report(provider, 'failure', 4);
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('lets one probe through when its time is over, and no other while it is under way', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      assert.equal((await probesOf(provider, 20)).length, 1);
      assert.equal((await ask(board, provider, REGION)).isAllowed, false);
      assert.equal(board.isClosed(provider, REGION), false);
    });

    it('closes after two probes that went well', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(provider, 'success');
      assert.equal((await viewOf(provider))?.successesInHalfOpen, 1);
      assert.equal(board.isClosed(provider, REGION), false);
      await endProbe(provider, 'success');
      assert.equal(board.isClosed(provider, REGION), true);
      assert.equal((await viewOf(provider))?.failuresInWindow ?? 0, 0);
    });

    it('opens again, for its whole time, when one probe fails', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      const first = await viewOf(provider);
      await endProbe(provider, 'success');
      await endProbe(provider, 'failure');
      const again = await viewOf(provider);
      assert.ok((again?.openedAt ?? 0) > (first?.openedAt ?? Number.POSITIVE_INFINITY));
      assert.equal(again?.successesInHalfOpen, 0);
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(provider, 'success');
      assert.equal(board.isClosed(provider, REGION), false);
      await endProbe(provider, 'success');
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('gives the probe to the next when one ended without saying anything', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(provider, 'neutral');
      assert.equal((await viewOf(provider))?.successesInHalfOpen, 0);
      await probeOf(provider);
    });

    it('is not moved by late news of calls that began while it was closed', async () => {
      const provider = await openCircuit();
      await report(provider, 'success', 3);
      assert.equal(board.isClosed(provider, REGION), false);
      await opened.pass(CONTRACT_RULES.openMs);
      const probe = await probeOf(provider);
      await report(provider, 'failure', 3);
      await report(provider, 'success', 3);
      assert.equal((await viewOf(provider))?.state, 'half_open');
      board.report(probe, 'success');
      await opened.settled();
      assert.equal((await viewOf(provider))?.successesInHalfOpen, 1);
    });

    it('is closed by an operator, and forgets what was counted', async () => {
      const provider = await openCircuit();
      await board.reset(provider, REGION);
      assert.equal(board.isClosed(provider, REGION), true);
      await report(provider, 'failure', 4);
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('is reset even when it is closed, and then begins to count anew', async () => {
      const provider = newProvider();
      await report(provider, 'failure', 4);
      await board.reset(provider, REGION);
      await report(provider, 'failure', 4);
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('shows state, counts, and the times of opening and of the next probe', async () => {
      const provider = newProvider();
      await report(provider, 'failure', 5, patient);
      const view = await viewOf(provider, patient);
      assert.ok(view?.openedAt !== undefined && view.nextProbeAt !== undefined);
      assert.equal(view.nextProbeAt - view.openedAt, PATIENT_OPEN_MS);
      assert.deepEqual(
        [view.region, view.state, view.failuresInWindow, view.callsInWindow],
        [REGION, 'open', 5, 5],
      );
    });

    it('shows a circuit whose time is over as half open, and that a probe is under way', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      const view = await viewOf(provider);
      assert.equal(view?.state, 'half_open');
      assert.equal(view.nextProbeAt, (view.openedAt ?? 0) + CONTRACT_RULES.openMs);
      await probeOf(provider);
      assert.equal((await viewOf(provider))?.nextProbeAt, undefined);
    });

    it('tells of every move once, and that it was decided here', async () => {
      const provider = await openCircuit();
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(provider, 'failure');
      await opened.pass(CONTRACT_RULES.openMs);
      await endProbe(provider, 'success');
      await endProbe(provider, 'success');
      const moves = opened.moves.filter((move) => move.provider === provider);
      assert.deepEqual(
        moves.map(({ from, to, isDecidedHere }) => [from, to, isDecidedHere]),
        [
          ['closed', 'open', true],
          ['open', 'half_open', true],
          ['half_open', 'open', true],
          ['open', 'half_open', true],
          ['half_open', 'closed', true],
        ],
      );
      assert.equal(moves[0]?.failures, 5);
    });

    /** A provider that is limited for a moment. */
    async function limitedProvider(): Promise<string> {
      const provider = newProvider();
      await board.expect(provider, REGION, opened.now() + LIMIT_MS);
      return provider;
    }

    it('holds calls back while a provider is limited, and says that this is why', async () => {
      const provider = newProvider();
      await patient.board.expect(provider, REGION, patient.now() + PATIENT_OPEN_MS);
      assert.equal(patient.board.isClosed(provider, REGION), false);
      assert.equal(patient.board.heldBy(provider, REGION), 'limit');
      assert.equal(patient.board.heldBy(provider, 'eu-west'), undefined);
      const answer = await ask(patient.board, provider, REGION);
      assert.ok(!answer.isAllowed);
      assert.equal(answer.cause, 'limit');
      assert.ok(answer.retryAfterMs > 0 && answer.retryAfterMs <= PATIENT_OPEN_MS);
      const view = await viewOf(provider, patient);
      assert.deepEqual([view?.state, view?.cause], ['open', 'limit']);
    });

    it('lets one probe through when a limit is over, and everything when it went well', async () => {
      const provider = await limitedProvider();
      await opened.pass(LIMIT_MS);
      const [probe, ...others] = await probesOf(provider, 20);
      assert.ok(probe?.probe !== undefined && others.length === 0);
      const answer = await ask(board, provider, REGION);
      assert.deepEqual([answer.isAllowed, !answer.isAllowed && answer.cause], [false, 'limit']);
      board.report(probe, 'success');
      await opened.settled();
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('waits again when the probe after a limit meets a new one', async () => {
      const provider = await limitedProvider();
      await opened.pass(LIMIT_MS);
      const probe = await probeOf(provider);
      const untilAt = opened.now() + PATIENT_OPEN_MS;
      const told = board.expect(provider, REGION, untilAt);
      board.report(probe, 'neutral');
      await told;
      await opened.settled();
      assert.equal((await ask(board, provider, REGION)).isAllowed, false);
      assert.ok(Math.abs(((await viewOf(provider))?.nextProbeAt ?? 0) - untilAt) < 5000);
    });

    it('lets the next probe go soon when the one after a limit failed', async () => {
      const provider = await limitedProvider();
      await opened.pass(LIMIT_MS);
      await endProbe(provider, 'failure');
      assert.deepEqual((await viewOf(provider))?.cause, 'limit');
      await opened.pass(PROBE_AGAIN_MS);
      await endProbe(provider, 'success');
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('moves a limit later and never earlier', async () => {
      const provider = newProvider();
      const at = patient.now();
      const probeInMs = async () => ((await viewOf(provider, patient))?.nextProbeAt ?? 0) - at;
      await patient.board.expect(provider, REGION, at + 2 * PATIENT_OPEN_MS);
      await patient.board.expect(provider, REGION, at + PATIENT_OPEN_MS);
      assert.ok((await probeInMs()) > 1.5 * PATIENT_OPEN_MS);
      await patient.board.expect(provider, REGION, at + 4 * PATIENT_OPEN_MS);
      assert.ok((await probeInMs()) > 3.5 * PATIENT_OPEN_MS);
    });

    it('goes on at once when a limit is taken away by hand, unless calls have failed', async () => {
      const [limited, failing] = [await limitedProvider(), newProvider()];
      await board.expectNothing(limited, REGION);
      assert.equal(board.isClosed(limited, REGION), true);
      await report(failing, 'failure', 5, patient);
      await patient.board.expect(failing, REGION, patient.now() + 1000);
      await patient.board.expectNothing(failing, REGION);
      assert.equal(patient.board.heldBy(failing, REGION), 'failures');
    });

    it('takes no limit that is over already', async () => {
      const provider = newProvider();
      await board.expect(provider, REGION, opened.now() - 1);
      assert.equal(board.isClosed(provider, REGION), true);
    });

    it('is closed as often as one likes', async () => {
      const other = await open(CONTRACT_RULES);
      await other.board.close();
      await other.board.close();
      await other.close();
    });
  });
}

export function ask(board: BreakerBoard, provider: string, region: string): Promise<BreakerAnswer> {
  return new Promise((resolve) => board.ask(provider, region, resolve));
}
