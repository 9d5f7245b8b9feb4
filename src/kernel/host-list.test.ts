import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHostList } from './host-list.ts';

test('a URL with several hosts keeps its credentials, path and query', () => {
  const parsed = parseHostList('redis+sentinel://app:p%40ss@a:26379,[::1]:26380,c/main/2?x=1');
  assert.deepEqual(parsed?.hosts, ['a:26379', '[::1]:26380', 'c']);
  assert.equal(parsed?.url.username, 'app');
  assert.equal(parsed?.url.password, 'p%40ss');
  assert.equal(parsed?.url.pathname, '/main/2');
  assert.equal(parsed?.url.searchParams.get('x'), '1');
});

test('a URL with one host is a list of one', () => {
  assert.deepEqual(parseHostList('redis+sentinel://a/main')?.hosts, ['a']);
});

test('an empty or malformed host makes the whole list invalid', () => {
  for (const text of ['', 'a,b', 'x://', 'x://a,,b/main', 'x://a:1,b:many/main', 'x://,a/main'])
    assert.equal(parseHostList(text), undefined, text);
});
