import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { openPostgres } from './open-postgres.ts';

const ECHO = { name: 'test_echo', text: 'select $1::text, $2::bigint + 1, null::text' };
const BACKEND = { name: 'test_backend', text: 'select pg_backend_pid()' };
const DIVIDE = { name: 'test_divide', text: 'select 6 / $1::integer' };
const SLOW = { name: 'test_slow', text: 'select pg_sleep(0.2), pg_backend_pid()' };

describe('the dedicated connection', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase('dedicated');
  });
  after(() => database.drop());

  it('returns rows as texts, on the first call and on later ones', async () => {
    const store = openPostgres(database.url);
    for (const text of ['a', 'ü "quoted" \\ {}', '']) {
      const rows = await store.call(ECHO, [text, '41']);
      assert.deepEqual(rows, [[text, '42', null]]);
    }
    await store.close();
  });

  it('serves sequential calls, and a concurrent call uses another connection', async () => {
    const store = openPostgres(database.url);
    const first = await store.call(BACKEND, []);
    assert.deepEqual(await store.call(BACKEND, []), first);
    const [, other] = await Promise.all([store.call(SLOW, []), store.call(BACKEND, [])]);
    assert.notDeepEqual(other, first);
    assert.deepEqual(await store.call(BACKEND, []), first);
    await store.close();
  });

  it('survives a failed statement, prepared or not', async () => {
    const store = openPostgres(database.url);
    await assert.rejects(store.call(DIVIDE, ['0']), /division by zero/);
    assert.deepEqual(await store.call(DIVIDE, ['3']), [['2']]);
    await assert.rejects(store.call(DIVIDE, ['0']), /division by zero/);
    assert.deepEqual(await store.call(DIVIDE, ['2']), [['3']]);
    await store.close();
  });

  it('is replaced after PostgreSQL ended it while idle', async () => {
    const store = openPostgres(database.url);
    const [[pid] = []] = await store.call(BACKEND, []);
    await runOn(database.url, `select pg_terminate_backend(${pid})`);
    while (store.load().open > 0) await delay(5);
    const [[other] = []] = await store.call(BACKEND, []);
    assert.notEqual(other, pid);
    await store.close();
  });

  it('rejects the call in flight when its backend is terminated, and serves the next one', async () => {
    const store = openPostgres(database.url);
    const [[pid] = []] = await store.call(BACKEND, []);
    const call = store.call(SLOW, []);
    const rejected = assert.rejects(call);
    await runOn(database.url, `select pg_terminate_backend(${pid})`);
    await rejected;
    assert.equal((await store.call(BACKEND, [])).length, 1);
    await store.close();
  });

  it('is released at the close, after the call in flight', async () => {
    const store = openPostgres(database.url);
    const call = store.call(SLOW, []);
    await store.close();
    assert.equal((await call).length, 1);
    assert.deepEqual(store.load(), { open: 0, idle: 0, waiting: 0 });
  });
});
