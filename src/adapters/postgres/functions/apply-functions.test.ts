import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  createTestDatabase,
  runOn,
  type TestDatabase,
} from '../../../../test/support/stores/isolated-postgres.ts';
import { openPostgres, type PostgresStore } from '../connection/open-postgres.ts';
import { applyFunctions, outdatedFunctions } from './apply-functions.ts';
import { parseDefinitions, readFunctionDefinitions } from './function-definitions.ts';

const PAIR = `create type pair as (
  a integer, b integer
);`;

function total(body: string, { result = 'integer', values = 'integer[]' } = {}): string {
  return `create or replace function total(v ${values}) returns ${result} language sql as $$
  ${body}
$$;`;
}

const SUM = 'select sum(x) from unnest(v) as x';

describe('the functions of a PostgreSQL store', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  before(async () => {
    database = await createTestDatabase('functions');
    store = openPostgres(database.url);
  });
  after(async () => {
    await store.close();
    await database.drop();
  });
  beforeEach(() =>
    runOn(
      database.url,
      `drop function if exists spillway.total, spillway.pair_sum; drop type if exists spillway.pair;
       delete from spillway.spillway_functions where name in ('total', 'pair', 'pair_sum')`,
    ),
  );

  function apply(...texts: string[]): Promise<readonly string[]> {
    return applyFunctions(store.db, parseDefinitions(texts.join('\n'), 'test.sql'));
  }

  async function valueOf(expression: string): Promise<unknown> {
    const [row] = await runOn(database.url, `select ${expression}::text as value`);
    return row?.['value'];
  }

  it('are up to date after a migration', async () => {
    assert.deepEqual(await outdatedFunctions(store.db), []);
    assert.ok(readFunctionDefinitions().length > 10);
  });

  it('are created once and replaced when their text changes', async () => {
    assert.deepEqual(await apply(total(SUM)), ['total']);
    assert.deepEqual(await apply(total(SUM)), []);
    assert.equal(await valueOf("spillway.total('{1,2}')"), '3');
    assert.deepEqual(await apply(total('select 7')), ['total']);
    assert.equal(await valueOf("spillway.total('{1,2}')"), '7');
  });

  it('are dropped first when their result or their arguments change, and leave no overload', async () => {
    await apply(total('select 1'));
    await apply(total('select 2::bigint', { result: 'bigint' }));
    assert.equal(await valueOf("spillway.total('{1}')"), '2');
    await apply(total("select 'three'", { result: 'text', values: 'text[]' }));
    assert.equal(await valueOf("spillway.total('{x}')"), 'three');
    assert.equal(await valueOf("(select count(*) from pg_proc where proname = 'total')"), '1');
  });

  it('are all created anew when a type changes', async () => {
    const sum = `create or replace function pair_sum(v pair) returns integer language sql as $$
  select v.a + v.b
$$;`;
    await apply(PAIR, sum, total(SUM));
    const wider = PAIR.replace('b integer', 'b integer, c integer');
    assert.deepEqual(await apply(wider, sum, total(SUM)), ['pair', 'pair_sum', 'total']);
    assert.equal(await valueOf('spillway.pair_sum(row(1, 2, 3)::spillway.pair)'), '3');
  });

  it('stay as they are when a newer version applied them', async () => {
    await apply(total('select 1'));
    await runOn(
      database.url,
      `update spillway.spillway_functions set version = '99.0.0' where name = 'total'`,
    );
    assert.deepEqual(await apply(total('select 2')), []);
    assert.equal(await valueOf("spillway.total('{1}')"), '1');
  });

  it('change all together or not at all', async () => {
    await apply(total('select 1'));
    const broken =
      'create or replace function broken() returns no_such_type language sql as $$\n$$;';
    await assert.rejects(apply(total('select 2'), broken));
    assert.equal(await valueOf("spillway.total('{1}')"), '1');
    assert.deepEqual(await apply(total('select 2')), ['total']);
  });
});

it('a file with a statement other than a definition is rejected', () => {
  assert.throws(() => parseDefinitions(`${PAIR}\ndrop table jobs;`, 'odd.sql'), /odd\.sql/);
});
