import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createAlertBoard } from '../adapters/sql/alerts/alert-board.ts';
import { openSqlite } from '../adapters/sqlite/open-sqlite.ts';
import { silentLog } from '../kernel/log.ts';
import { deliverNotices } from './deliver-notices.ts';

const ALERTS = 8;
const SEND_MS = 9000;
/** The claim of a notice ends after this time: another server then sends it. */
const CLAIM_MS = 60_000;

test('a slow sink gets every message once and in order, and no claim ends before its send', async (context) => {
  const store = await openSqlite(':memory:');
  context.after(() => store.close());
  const clock = createTestClock();
  const board = createAlertBoard(store.db);
  for (let index = 0; index < ALERTS; index += 1) {
    const alert = {
      id: `alert_${index}`,
      name: 'dependency-unavailable' as const,
      subject: `service ${index}`,
      severity: 'critical' as const,
      value: 1,
      threshold: 0,
      startedAt: clock.now() + index,
      metric: 'up',
      message: 'unavailable',
      endedAt: undefined,
      budget: undefined,
      serverId: 'a',
    };
    await board.start(alert, [{ phase: 'started', sink: 'slack', text: `message ${index}` }]);
  }
  const sent: string[] = [];
  const sentAfterMs: number[] = [];
  let claimedAt = clock.now();
  const claiming = {
    ...board,
    claimNotices: (now: number, until: number, limit: number) => {
      claimedAt = now;
      return board.claimNotices(now, until, limit);
    },
  };
  const slack = {
    async send({ text }: { readonly text: string }) {
      await clock.advance(SEND_MS);
      sent.push(text);
      sentAfterMs.push(clock.now() - claimedAt);
    },
  };
  const parts = {
    board: claiming,
    sinks: new Map([['slack', slack] as const]),
    clock,
    log: silentLog,
  };
  for (let pass = 0; pass < ALERTS; pass += 1)
    await deliverNotices(parts, new AbortController().signal);
  assert.deepEqual(
    sent,
    Array.from({ length: ALERTS }, (_, index) => `message ${index}`),
  );
  assert.ok(Math.max(...sentAfterMs) < CLAIM_MS, 'a claim ended before its send');
});
