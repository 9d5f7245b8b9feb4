// A front end's reader that knows only the classic field names, unchanged, on build events from before and after the
// migration: on embedded storage and on PostgreSQL, by polling and live. The older rows have no organisation, no error
// columns and raw provider text.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { migratePostgres } from '../../../src/adapters/postgres/connection/migrate-postgres.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { type ClassicReader, createClassicReader } from '../../support/gateway/classic-reader.ts';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import { valueAt } from '../../support/response-fields.ts';
import { createTestDatabase, runOn } from '../../support/stores/isolated-postgres.ts';

const RAW = 'Claude AI usage limit reached|1754636400';
const SETTINGS = { BUILD_EVENT_FIELDS: 'classic', BUILD_EVENT_ORGANIZATION: 'default' };

/** The events that the existing system wrote to its table: a step, and a failure with raw provider text everywhere. */
const ROWS = `(build_id, event_type, event_data, event_phase, event_title, event_description, finished, created_at)
  values ('old', 'build_step', '{"step":"install"}', 'setup', 'Installing', 'npm install', FALSE_VALUE, 'CREATED'),
         ('old', 'build_failed', '{"step":"${RAW}"}', 'deploy', '${RAW}', 'Stopped: ${RAW}', TRUE_VALUE, 'CREATED')`;

type Site = { readonly gateway: TestGateway; close(): Promise<void> };

const SITES: Readonly<Record<string, () => Promise<Site>>> = {
  async 'embedded storage'() {
    const dataDir = mkdtempSync(join(tmpdir(), 'spillway-classic-'));
    const store = await openSqlite(join(dataDir, 'spillway.db'));
    const rows = ROWS.replaceAll('FALSE_VALUE', '0').replaceAll('TRUE_VALUE', '1');
    const created = String(Date.parse('2025-08-08T07:00:00Z'));
    const text = `insert into project_build_events ${rows.replaceAll("'CREATED'", created)}`;
    await sql.raw(text).execute(store.db);
    await store.close();
    const gateway = await startTestGateway({ ...SETTINGS, SPILLWAY_DATA_DIR: dataDir });
    return {
      gateway,
      async close() {
        await gateway.close();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  },
  async PostgreSQL() {
    const database = await createTestDatabase('classic', { isMigrated: false });
    await runOn(
      database.url,
      `create table project_build_events (id serial primary key, build_id text not null,
         event_type text not null, event_data jsonb, event_phase text, event_title text,
         event_description text, overall_progress numeric, finished boolean,
         created_at timestamptz not null default now())`,
    );
    const rows = ROWS.replaceAll('FALSE_VALUE', 'false').replaceAll('TRUE_VALUE', 'true');
    const created = rows.replaceAll('CREATED', '2025-08-08T07:00:00Z');
    await runOn(database.url, `insert into project_build_events ${created}`);
    await migratePostgres(database.url);
    const gateway = await startTestGateway({ ...SETTINGS, DATABASE_URL: database.url });
    return {
      gateway,
      async close() {
        await gateway.close();
        await database.drop();
      },
    };
  },
};

for (const [name, open] of Object.entries(SITES))
  suite(`a reader of the classic fields on ${name}`, () => {
    let site: Site;
    let reader: ClassicReader;
    before(async () => {
      site = await open();
      reader = createClassicReader(site.gateway.url, site.gateway.apiKey);
    });
    after(() => site.close());

    async function report(buildId: string, events: readonly object[], query = ''): Promise<string> {
      const { url, apiKey } = site.gateway;
      const answer = await fetch(`${url}/v1/builds/${buildId}/events${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      });
      assert.equal(answer.status, 201);
      return answer.text();
    }

    test('events from before the migration are read, without raw provider text', async () => {
      const lines = await reader.poll('old');
      assert.equal(
        lines[0],
        '2025-08-08 | build_step | setup | Installing | npm install | install | 0 % | ok',
      );
      assert.equal(lines.length, 2);
      assert.match(lines[1] ?? '', /^2025-08-08 \| build_failed \| deploy \| .*\| done \| ok$/);
      assert.match(lines[1] ?? '', /limit/i);
      assert.doesNotMatch(lines.join(), /claude|1754636400/i);
      const live: string[] = [];
      await reader.follow('old', (line) => live.push(line));
      assert.deepEqual(live, lines);
    });

    test('events from after the migration are read the same, polled and live', async () => {
      const started = Promise.withResolvers<void>();
      const live: string[] = [];
      const following = reader.follow('new', (line) => {
        live.push(line);
        started.resolve();
      });
      const installing = { eventType: 'build_step', eventPhase: 'setup', eventTitle: 'Installing' };
      await report('new', [{ ...installing, eventData: { step: 'install' }, overallProgress: 40 }]);
      await started.promise;
      await report('new', [
        { type: 'build_failed', title: RAW, data: { step: 'deploy' }, error: RAW, finished: true },
      ]);
      await following;
      const today = new Date().toISOString().slice(0, 10);
      assert.match(live[0] ?? '', new RegExp(`^${today} \\| build_step \\| setup \\| Installing`));
      assert.match(live[0] ?? '', /\| install \| 40 % \| ok$/);
      assert.match(live[1] ?? '', /\| deploy \| done \| \S/);
      assert.doesNotMatch(live.join(), /claude|1754636400/i);
      assert.deepEqual(await reader.poll('new'), live);
    });

    test('the fields of a request win over the configured ones', async () => {
      const event = { type: 'step', finished: true };
      const classic = JSON.parse(await report('fields', [event]));
      assert.equal(valueAt(classic, 'data', '0', 'eventType'), 'step');
      assert.equal(typeof valueAt(classic, 'data', '0', 'createdAt'), 'string');
      const current = JSON.parse(await report('fields', [event], '?fields=current'));
      assert.equal(valueAt(current, 'data', '0', 'eventType'), undefined);
      assert.equal(typeof valueAt(current, 'data', '0', 'createdAt'), 'number');
    });

    test('operators read classic fields with the texts as they are stored', async () => {
      const answer = await fetch(`${site.gateway.url}/admin/builds/old/events?org=default`, {
        headers: { authorization: `Bearer ${TEST_ADMIN_KEY}` },
      });
      const body: unknown = JSON.parse(await answer.text());
      assert.equal(valueAt(body, 'data', '1', 'eventTitle'), RAW);
      assert.deepEqual(valueAt(body, 'data', '1', 'eventData'), { step: RAW });
      assert.equal(valueAt(body, 'data', '1', 'createdAt'), '2025-08-08T07:00:00.000Z');
    });
  });

test('an event that the existing system inserts while a reader follows appears live', async () => {
  const database = await createTestDatabase('classic_live');
  const gateway = await startTestGateway({ ...SETTINGS, DATABASE_URL: database.url });
  try {
    const reader = createClassicReader(gateway.url, gateway.apiKey);
    const lines: string[] = [];
    const following = reader.follow('theirs', (line) => lines.push(line));
    await runOn(
      database.url,
      `insert into project_build_events (build_id, event_type, event_data, finished, error_message)
         values ('theirs', 'build_failed', '{}', true, '${RAW}')`,
    );
    await following;
    assert.match(lines.join(), /build_failed \| .* \| done \| .*limit/i);
    assert.doesNotMatch(lines.join(), /claude/i);
  } finally {
    await gateway.close();
    await database.drop();
  }
});
