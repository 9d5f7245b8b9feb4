import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NATIVE_PATHS } from '../upstream/native-route.ts';
import { nativePathItems } from './native-paths.ts';

test('every AI endpoint is described, with its parameters', () => {
  const items = nativePathItems();
  assert.deepEqual(Object.keys(items), NATIVE_PATHS);
  for (const [path, item] of Object.entries(items)) {
    assert.equal('parameters' in Object(item['post']), path.includes('{model}'), path);
  }
});
