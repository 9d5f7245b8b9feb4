// The contract of the port AlertBoard. The test of each adapter calls it with its own store.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Alert } from '../../../src/alerts/alert.ts';
import type { AlertBoard, Notice } from '../../../src/alerts/alert-board.ts';

export type OpenedAlertBoard = { readonly board: AlertBoard; close(): Promise<void> };

const STARTED: readonly Notice[] = [
  { phase: 'started', sink: 'log', text: 'it starts' },
  { phase: 'started', sink: 'webhook', text: 'it starts' },
];
const ENDED: readonly Notice[] = [{ phase: 'ended', sink: 'webhook', text: 'it ends' }];

export function alertBoardContract(adapter: string, open: () => Promise<OpenedAlertBoard>): void {
  describe(`the board of alerts on ${adapter}`, () => {
    let opened: OpenedAlertBoard;
    let board: AlertBoard;
    beforeEach(async () => {
      opened = await open();
      board = opened.board;
    });
    afterEach(() => opened.close());

    it('a started alert fires with every field unchanged', async () => {
      const budget = { organizationId: 'ö', month: 202611, kind: 'key', scopeId: 'k', percent: 90 };
      const alerts = [alertOf('alt_1'), { ...alertOf('alt_2', 'openai us-east'), budget }];
      for (const alert of alerts) assert.equal(await board.start(alert, []), true);
      assert.deepEqual(await board.firing(), alerts);
    });

    it('one start of a name and subject wins until the alert has ended', async () => {
      const starts = ['alt_1', 'alt_2', 'alt_3'].map((id) => board.start(alertOf(id), STARTED));
      assert.equal((await Promise.all(starts)).filter(Boolean).length, 1);
      assert.equal((await board.claimNotices(5000, 9000, 10)).length, STARTED.length);
      const [firing] = await board.firing();
      assert.equal(await board.end(firing?.id ?? '', 2000, []), true);
      assert.equal(await board.start(alertOf('alt_4'), []), true);
    });

    it('an id is accepted once, even after its alert has ended', async () => {
      assert.equal(await board.start({ ...alertOf('alt_1'), endedAt: 1000 }, STARTED), true);
      assert.equal(await board.start({ ...alertOf('alt_1'), endedAt: 1000 }, STARTED), false);
      assert.deepEqual(await board.firing(), []);
    });

    it('one end of an alert wins', async () => {
      await board.start(alertOf('alt_1'), []);
      const ends = [board.end('alt_1', 2000, ENDED), board.end('alt_1', 3000, ENDED)];
      assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
      assert.equal((await board.claimNotices(5000, 9000, 10)).length, 1);
      assert.equal(await board.end('alt_unknown', 2000, ENDED), false);
    });

    it('notices are claimed once until the claim ends, starts before ends', async () => {
      await board.start(alertOf('alt_1'), STARTED);
      await board.end('alt_1', 1000, ENDED);
      const claims = [board.claimNotices(2000, 9000, 10), board.claimNotices(2000, 9000, 10)];
      const claimed = (await Promise.all(claims)).flat();
      assert.deepEqual(
        claimed.map(({ sink, phase, text }) => `${sink} ${phase} ${text}`).toSorted(),
        ['log started it starts', 'webhook ended it ends', 'webhook started it starts'],
      );
      const hooks = claimed.filter(({ sink }) => sink === 'webhook');
      assert.deepEqual(
        hooks.map(({ phase }) => phase),
        ['started', 'ended'],
      );
      assert.equal(hooks[0]?.alert.endedAt, 1000);
      assert.deepEqual(await board.claimNotices(8999, 20_000, 10), []);
      assert.equal((await board.claimNotices(9000, 20_000, 10)).length, 3);
    });

    it('a settled notice is gone or due at its next delivery', async () => {
      await board.start(alertOf('alt_1'), STARTED);
      const [first, second] = await board.claimNotices(2000, 9000, 10);
      await board.settleNotice(first?.id ?? '', 'done');
      await board.settleNotice(second?.id ?? '', { retryAt: 4000, isFailure: true });
      assert.deepEqual(await board.claimNotices(3999, 9000, 10), []);
      const [again, ...others] = await board.claimNotices(4000, 9000, 10);
      assert.deepEqual(others, []);
      assert.deepEqual([again?.id, again?.failures], [second?.id, 1]);
      await board.settleNotice(again?.id ?? '', { retryAt: 5000, isFailure: false });
      assert.equal((await board.claimNotices(5000, 9000, 10))[0]?.failures, 1);
    });

    it('a list is ordered newest first, by state, page by page', async () => {
      for (const [index, id] of ['alt_1', 'alt_2', 'alt_3', 'alt_4'].entries())
        await board.start({ ...alertOf(id, id), startedAt: 1000 + Math.floor(index / 2) }, []);
      await board.end('alt_3', 2000, []);
      const all = await board.list({ limit: 10 });
      assert.deepEqual(ids(all), ['alt_4', 'alt_3', 'alt_2', 'alt_1']);
      assert.deepEqual(ids(await board.list({ limit: 2, before: all[1] })), ['alt_2', 'alt_1']);
      assert.deepEqual(ids(await board.list({ limit: 9, state: 'ended' })), ['alt_3']);
      assert.deepEqual(ids(await board.list({ limit: 9, state: 'firing' })), [
        'alt_4',
        'alt_2',
        'alt_1',
      ]);
    });

    it('pruning deletes old ended alerts and no firing one', async () => {
      await board.start(alertOf('alt_1', 'a'), []);
      await board.start({ ...alertOf('alt_2', 'b'), endedAt: 1500 }, []);
      await board.start({ ...alertOf('alt_3', 'c'), endedAt: 3000 }, []);
      await board.prune(2000);
      assert.deepEqual(ids(await board.list({ limit: 9 })), ['alt_3', 'alt_1']);
    });
  });
}

function alertOf(id: string, subject?: string): Alert {
  return {
    id,
    name: 'circuit-open',
    metric: 'ai.circuit_breaker.open',
    subject,
    severity: 'critical',
    message: 'The circuit is “open”.',
    value: 1.25,
    threshold: 0,
    startedAt: 1000,
    endedAt: undefined,
    serverId: 'srv',
    budget: undefined,
  };
}

function ids(alerts: readonly Alert[]): readonly string[] {
  return alerts.map(({ id }) => id);
}
