import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NATIVE_PATHS } from '../upstream/native-route.ts';
import { nativePathItems } from './native-paths.ts';

test('every AI endpoint is described, with its parameters', () => {
  const items = nativePathItems();
  const lists = ['/v1/models', '/v1/models/{model}', '/v1beta/models', '/v1beta/models/{model}'];
  assert.deepEqual(Object.keys(items), [...NATIVE_PATHS, ...lists]);
  for (const [path, item] of Object.entries(items)) {
    const operation = Object(item['post'] ?? item['get']);
    assert.equal('parameters' in operation, path.includes('{model}'), path);
  }
});
