import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Operation, readApiDocument, requestsOf } from '../../support/openapi/api-document.ts';
import { textAt } from '../../support/response-fields.ts';
import { openAdminRig } from './admin-rig.ts';

const CASES = 8;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Statuses of a request that fits the document: done, or its subject does not exist or exists already. */
const ACCEPTED = new Set([200, 201, 202, 204, 404, 409]);

const rig = await openAdminRig();
test.after(() => rig.close());

await rig.call('PATCH', '/admin/orgs/default', { body: { requestsPerMinute: 1_000_000 } });
const created = await rig.call('POST', '/admin/orgs/default/keys', { body: {} });
const callerKey = textAt(created.body, 'key');
const api = readApiDocument((await rig.call('GET', '/openapi.json')).body);
const secured = api.operations.filter(({ security }) => security !== undefined);
const withBody = api.operations.filter(({ requestBody }) => requestBody?.required);

function keyOf({ security }: Operation): string | undefined {
  const isAdmin = security?.some((scheme) => 'admin' in scheme) === true;
  return isAdmin ? rig.gateway.identity.adminKey : callerKey;
}

function samplesOf(operation: Operation) {
  return fc.sample(requestsOf(operation), { numRuns: CASES, seed: 7 });
}

test('a request that fits the document is accepted, and its answer fits the document', async () => {
  for (const operation of api.operations)
    for (const { path, body } of samplesOf(operation)) {
      const answer = await rig.call(operation.method, path, { body, key: keyOf(operation) });
      api.assertFits(operation, answer);
      const what = `${operation.method} ${path} ${JSON.stringify(body)} ${answer.text}`;
      assert.ok(ACCEPTED.has(answer.status), what);
    }
});

test('a request without a credential is answered 401 as documented', async () => {
  for (const operation of secured)
    for (const { path, body } of samplesOf(operation).slice(0, 1)) {
      const answer = await rig.call(operation.method, path, { body, key: undefined });
      assert.equal(answer.status, 401, `${operation.method} ${path}`);
      api.assertFits(operation, answer);
    }
});

test('a request without its required body is answered 400 and creates nothing', async () => {
  assert.ok(withBody.some(({ path }) => path === '/admin/orgs'));
  for (const operation of withBody)
    for (const { path } of samplesOf(operation).slice(0, 1)) {
      const answer = await rig.call(operation.method, path, { key: keyOf(operation) });
      assert.equal(answer.status, 400, `${operation.method} ${path} ${answer.text}`);
      api.assertFits(operation, answer);
    }
});

test('a body of another type is refused', async () => {
  for (const operation of withBody)
    for (const { path } of samplesOf(operation).slice(0, 1)) {
      const answer = await rig.call(operation.method, path, { raw: '7', key: keyOf(operation) });
      assert.equal(answer.status, 400, `${operation.method} ${path} ${answer.text}`);
      api.assertFits(operation, answer);
    }
});

test('a method that the document does not list is answered 405 with the methods that it lists', async () => {
  const paths = Map.groupBy(api.operations, ({ path }) => path);
  for (const [path, operations] of paths) {
    const served = operations.map(({ method }) => method);
    const address = path.replaceAll(/\{\w+\}/g, 'x');
    // DELETE there would delete a dead letter with this id.
    if (path === '/admin/dlq/retry-all') served.push('DELETE');
    for (const method of METHODS.filter((each) => !served.includes(each))) {
      const answer = await rig.call(method, address);
      assert.equal(answer.status, 405, `${method} ${path}`);
      const allowed = (answer.headers.get('allow') ?? '').split(', ');
      assert.deepEqual(
        new Set(allowed.filter((each) => each !== 'HEAD' && each !== 'OPTIONS')),
        new Set(operations.map((each) => each.method)),
        path,
      );
    }
  }
});

test('GET /docs shows every operation of the document and needs no script', async () => {
  const { status, headers, text } = await rig.call('GET', '/docs', { key: undefined });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src/);
  assert.doesNotMatch(text, /<script|\son\w+=|(?:src|href)="(?!#|\/)/);
  for (const { method, path } of api.operations)
    assert.ok(text.includes(`${method}</b> <code>${path}</code>`), `${method} ${path}`);
});
