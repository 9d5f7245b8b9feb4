import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { matchNativeRoute, NATIVE_PATHS } from '../../upstream/native-route.ts';
import { aiPathItems } from './ai-paths.ts';

test('every AI endpoint is described, with its parameters', () => {
  const items = aiPathItems();
  const lists = ['/v1/models', '/v1/models/{model}', '/v1beta/models', '/v1beta/models/{model}'];
  assert.deepEqual(Object.keys(items), [...NATIVE_PATHS, ...lists]);
  for (const [path, item] of Object.entries(items)) {
    const operation = Object(item['post'] ?? item['get']);
    assert.equal('parameters' in operation, path.includes('{model}'), path);
  }
});

test('docs/endpoints.md lists exactly the endpoints', () => {
  const path = join(import.meta.dirname, '../../../docs/endpoints.md');
  const named = readFileSync(path, 'utf8').matchAll(/`(?:POST|GET) (\/[^`]+)`/g);
  const endpoints = NATIVE_PATHS.map((each) => matchNativeRoute(each.replace('{model}', 'm')));
  const lists = Object.entries(aiPathItems()).filter(([, item]) => 'get' in item);
  assert.deepEqual(
    new Set([...named].map(([, each]) => each)),
    new Set([...endpoints.map((route) => route?.endpoint), ...lists.map(([each]) => each)]),
  );
});
