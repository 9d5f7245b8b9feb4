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
const WHO = { name: 'test_who', text: 'select pg_backend_pid()' };
const DIVIDE = { name: 'test_divide', text: 'select 6 / $1::integer' };
const SLOW = { name: 'test_slow', text: 'select pg_sleep(0.2), pg_backend_pid()' };

describe('a connection that is kept in hand', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase('kept');
  });
  after(() => database.drop());

  it('gives rows as texts, the first time and every other', async () => {
    const store = openPostgres(database.url);
    for (const text of ['a', 'ü "quoted" \\ {}', '']) {
      const rows = await store.call(ECHO, [text, '41']);
      assert.deepEqual(rows, [[text, '42', null]]);
    }
    await store.close();
  });

  it('is the same one for calls that come after each other, and others help out meanwhile', async () => {
    const store = openPostgres(database.url);
    const first = await store.call(WHO, []);
    assert.deepEqual(await store.call(WHO, []), first);
    const [, other] = await Promise.all([store.call(SLOW, []), store.call(WHO, [])]);
    assert.notDeepEqual(other, first);
    assert.deepEqual(await store.call(WHO, []), first);
    await store.close();
  });

  it('goes on after a statement that failed, prepared or not', async () => {
    const store = openPostgres(database.url);
    await assert.rejects(store.call(DIVIDE, ['0']), /division by zero/);
    assert.deepEqual(await store.call(DIVIDE, ['3']), [['2']]);
    await assert.rejects(store.call(DIVIDE, ['0']), /division by zero/);
    assert.deepEqual(await store.call(DIVIDE, ['2']), [['3']]);
    await store.close();
  });

  it('is made anew when the server has ended it while nobody asked', async () => {
    const store = openPostgres(database.url);
    const [[pid] = []] = await store.call(WHO, []);
    await runOn(database.url, `select pg_terminate_backend(${pid})`);
    while (store.load().open > 0) await delay(5);
    const [[other] = []] = await store.call(WHO, []);
    assert.notEqual(other, pid);
    await store.close();
  });

  it('a call under way when its server goes is rejected, and the next is answered', async () => {
    const store = openPostgres(database.url);
    const [[pid] = []] = await store.call(WHO, []);
    const call = store.call(SLOW, []);
    const rejected = assert.rejects(call);
    await runOn(database.url, `select pg_terminate_backend(${pid})`);
    await rejected;
    assert.equal((await store.call(WHO, [])).length, 1);
    await store.close();
  });

  it('goes back to the others at the close, after what is under way', async () => {
    const store = openPostgres(database.url);
    const call = store.call(SLOW, []);
    await store.close();
    assert.equal((await call).length, 1);
    assert.deepEqual(store.load(), { open: 0, idle: 0, waiting: 0 });
  });
});
