// The board of alerts on either SQL store. A unique index over the firing alerts lets one start of a name and subject win.

import { type Kysely, sql, type Transaction } from 'kysely';
import type { AlertBoard, Notice, NoticePhase } from '../../../alerts/alert-board.ts';
import type { Schema } from '../schema.ts';
import { toNumber } from '../sql-dialect.ts';
import { isSinkName, toAlert, toAlertRow } from './alert-row.ts';

export function createAlertBoard(db: Kysely<Schema>): AlertBoard {
  return {
    start: (alert, notices) =>
      db.transaction().execute(async (trx) => {
        const inserted = await trx
          .insertInto('alerts')
          .values(toAlertRow(alert))
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst();
        if (inserted) await addNotices(trx, alert.id, notices, alert.startedAt);
        return inserted !== undefined;
      }),
    end: (id, endedAt, notices) =>
      db.transaction().execute(async (trx) => {
        const updated = await trx
          .updateTable('alerts')
          .set({ ended_at: endedAt })
          .where('id', '=', id)
          .where('ended_at', 'is', null)
          .returning('id')
          .executeTakeFirst();
        if (updated) await addNotices(trx, id, notices, endedAt);
        return updated !== undefined;
      }),
    async firing() {
      const query = db.selectFrom('alerts').selectAll().where('ended_at', 'is', null);
      return (await query.orderBy('started_at').orderBy('id').execute()).flatMap(toAlert);
    },
    async list({ state, limit, before }) {
      const rows = await db
        .selectFrom('alerts')
        .selectAll()
        .$if(state === 'firing', (query) => query.where('ended_at', 'is', null))
        .$if(state === 'ended', (query) => query.where('ended_at', 'is not', null))
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(started_at, id) < (${before?.startedAt}, ${before?.id})`),
        )
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.flatMap(toAlert);
    },
    claimNotices: (now, claimedUntil, limit) => claimNotices(db, { now, claimedUntil, limit }),
    async settleNotice(id, outcome) {
      if (outcome === 'done') {
        await db.deleteFrom('alert_notices').where('id', '=', id).execute();
        return;
      }
      const added = outcome.isFailure ? 1 : 0;
      await db
        .updateTable('alert_notices')
        .set({ due_at: outcome.retryAt, failures: sql<number>`failures + ${added}` })
        .where('id', '=', id)
        .execute();
    },
    async prune(before) {
      await db.deleteFrom('alerts').where('ended_at', '<', before).execute();
    },
  };
}

/**
 * Claims notices by moving their due time: of two servers the first gets a notice, the second finds it moved. `started` sorts before
 * `ended` of the same millisecond.
 */
async function claimNotices(
  db: Kysely<Schema>,
  { now, claimedUntil, limit }: { now: number; claimedUntil: number; limit: number },
): ReturnType<AlertBoard['claimNotices']> {
  const due = db
    .selectFrom('alert_notices')
    .select('id')
    .where('due_at', '<=', now)
    .orderBy('created_at')
    .orderBy('id', 'desc')
    .limit(limit);
  const claimed = await db
    .updateTable('alert_notices')
    .set({ due_at: claimedUntil })
    .where('id', 'in', due)
    .where('due_at', '<=', now)
    .returning('id')
    .execute();
  if (claimed.length === 0) return [];
  const ids = claimed.map(({ id }) => id);
  const rows = await db
    .selectFrom('alert_notices as n')
    .innerJoin('alerts as a', 'a.id', 'n.alert_id')
    .selectAll('a')
    .select(['n.id as notice_id', 'n.phase', 'n.sink', 'n.text', 'n.failures'])
    .where('n.id', 'in', ids)
    .orderBy('n.created_at')
    .orderBy('n.id', 'desc')
    .execute();
  return rows.flatMap((row) => {
    const { notice_id, phase, sink, text, failures } = row;
    const [alert] = toAlert(row);
    if (!alert || !isPhase(phase) || !isSinkName(sink)) return [];
    return [{ id: notice_id, phase, sink, text, failures: toNumber(failures), alert }];
  });
}

async function addNotices(
  trx: Transaction<Schema>,
  alertId: string,
  notices: readonly Notice[],
  at: number,
): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map(({ phase, sink, text }) => ({
    id: `${alertId}_${phase}_${sink}`,
    alert_id: alertId,
    phase,
    sink,
    text,
    failures: 0,
    created_at: at,
    due_at: at,
  }));
  await trx.insertInto('alert_notices').values(rows).execute();
}

function isPhase(phase: string): phase is NoticePhase {
  return phase === 'started' || phase === 'ended';
}
