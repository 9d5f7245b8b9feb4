// Build events over HTTP: reported, read, followed live with a real client, resumed, and separated by organisation.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type EventStream, openEventStream } from '../../support/gateway/event-stream.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { textAt, valueAt } from '../../support/response-fields.ts';

type Answer = { readonly status: number; readonly body: unknown; readonly text: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.close());

async function call(
  method: string,
  path: string,
  body?: unknown,
  key = gateway.apiKey,
): Promise<Answer> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}

function followed(path: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const authorization = `Bearer ${gateway.apiKey}`;
  return openEventStream(gateway.url + path, { authorization, ...headers });
}

async function newKey(organization: string, scopes?: readonly string[]): Promise<string> {
  await call('POST', '/admin/orgs', { id: organization }, gateway.adminKey);
  const path = `/admin/orgs/${organization}/keys`;
  const made = await call(
    'POST',
    path,
    { name: 'test', ...(scopes && { scopes }) },
    gateway.adminKey,
  );
  return textAt(made.body, 'key');
}

suite('reporting and reading', () => {
  test('a usage limit is stored in three forms and read as a safe structured error', async () => {
    const epoch = Math.floor(Date.now() / 1000) + 7200;
    const said = `Claude AI usage limit reached|${epoch}`;
    const key = await newKey('reporting');
    const posted = await call(
      'POST',
      '/v1/builds/b-limit/events',
      { type: 'build_failed', error: said },
      key,
    );
    assert.equal(posted.status, 201);
    const read = await call('GET', '/v1/builds/b-limit/events', undefined, key);
    const event = valueAt(read.body, 'data', '0');
    assert.equal(valueAt(event, 'error', 'code'), 'AI_LIMIT_REACHED');
    assert.deepEqual(valueAt(event, 'error', 'params'), { resetTime: epoch * 1000 });
    assert.equal(valueAt(event, 'error_message'), valueAt(event, 'error', 'message'));
    assert.doesNotMatch(read.text + posted.text, /claude|\|\d{10}/i);
    const shown = await call('GET', '/admin/builds/b-limit/events', undefined, gateway.adminKey);
    assert.equal(valueAt(shown.body, 'data', '0', 'internalMessage'), said);
    assert.equal(valueAt(shown.body, 'data', '0', 'organizationId'), 'reporting');
    const limits = await call('GET', '/admin/limits', undefined, gateway.adminKey);
    assert.deepEqual(valueAt(limits.body, 'data'), []);
  });

  test('pages continue after the last id, and can be of one user', async () => {
    const events = ['u1', 'u2', 'u1'].map((userId, step) => ({
      type: 'step',
      userId,
      data: { step },
    }));
    const posted = await call('POST', '/v1/builds/b-pages/events', events);
    assert.equal(posted.status, 201);
    const first = await call('GET', '/v1/builds/b-pages/events?limit=2');
    const cursor = textAt(first.body, 'nextCursor');
    const second = await call('GET', `/v1/builds/b-pages/events?limit=2&after=${cursor}`);
    assert.equal(valueAt(second.body, 'data', '0', 'data', 'step'), 2);
    assert.equal(valueAt(second.body, 'nextCursor'), null);
    const mine = await call('GET', '/v1/builds/b-pages/events?userId=u2');
    assert.equal(valueAt(mine.body, 'data', 'length'), 1);
  });

  test('a page of large events is shorter than its limit, and its cursor continues', async () => {
    const events = Array.from({ length: 30 }, (_, step) => ({
      type: 'step',
      data: { step, text: 'x'.repeat(65_000) },
    }));
    assert.equal((await call('POST', '/v1/builds/b-large/events', events)).status, 201);
    const steps: unknown[] = [];
    for (let after = '0'; after !== ''; ) {
      const path = `/v1/builds/b-large/events?limit=500&after=${after}`;
      const page = await call('GET', path);
      assert.ok(page.text.length < 1_500_000, `${page.text.length} characters`);
      for (const event of valueAt(page.body, 'data') as unknown[])
        steps.push(valueAt(event, 'data', 'step'));
      after = valueAt(page.body, 'nextCursor') === null ? '' : textAt(page.body, 'nextCursor');
    }
    assert.deepEqual(
      steps,
      events.map(({ data }) => data.step),
    );
  });

  test('an organisation cannot read another’s builds', async () => {
    const other = await newKey('stranger');
    await call('POST', '/v1/builds/b-mine/events', { type: 'secret-step', finished: true });
    const seen = await call('GET', '/v1/builds/b-mine/events', undefined, other);
    assert.deepEqual(valueAt(seen.body, 'data'), []);
    const job = await call('POST', '/v1/jobs', { model: 'gpt-5-mini', prompt: 'hi' });
    const id = textAt(job.body, 'id');
    assert.equal((await call('GET', `/v1/jobs/${id}/events`, undefined, other)).status, 404);
    assert.deepEqual(
      valueAt((await call('GET', `/v1/builds/${id}/events`, undefined, other)).body, 'data'),
      [],
    );
    assert.equal((await call('GET', '/admin/builds/b-mine/events', undefined, other)).status, 401);
  });

  test('a wrong field is refused with its name, and the key needs the scope', async () => {
    const path = '/v1/builds/b-wrong/events';
    for (const [body, field] of [
      [{ type: 'a', overallProgress: 'half' }, 'overallProgress'],
      [[{ type: 'a' }, { type: 'b', finished: 1 }], 'events[1].finished'],
      [{}, 'type'],
    ] as const) {
      const refused = await call('POST', path, body);
      assert.equal(refused.status, 400);
      assert.equal(valueAt(refused.body, 'error', 'params', 'field'), field);
    }
    assert.equal((await call('POST', path, '{"type":')).status, 400);
    assert.equal((await call('GET', `${path}?after=x`)).status, 400);
    assert.equal((await call('GET', `/v1/builds/${'x'.repeat(201)}/events`)).status, 400);
    assert.equal((await call('GET', '/v1/builds/a%00b/events')).status, 400);
    const noScope = await newKey('reporting-not', ['call']);
    assert.equal((await call('POST', path, { type: 'a' }, noScope)).status, 403);
    assert.deepEqual(valueAt((await call('GET', path)).body, 'data'), []);
  });
});

suite('following live', () => {
  test('a live reader gets existing and new events until the last, and resumes after a disconnect', async () => {
    const path = '/v1/builds/b-live/events';
    await call('POST', path, { type: 'first' });
    const stream = await followed(path);
    assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
    const first = await stream.next();
    assert.equal(first?.data['type'], 'first');
    await call('POST', path, { type: 'second', error: 'Claude AI usage limit reached|1900000000' });
    const second = await stream.next();
    assert.equal(valueAt(second?.data, 'error', 'code'), 'AI_LIMIT_REACHED');
    assert.doesNotMatch(JSON.stringify(second), /claude/i);
    stream.leave();
    await call('POST', path, [{ type: 'third' }, { type: 'fourth', finished: true }]);
    const again = await followed(path, { 'last-event-id': second?.id ?? '' });
    assert.deepEqual(
      (await again.rest()).map(({ data }) => data['type']),
      ['third', 'fourth'],
    );
    const last = (await call('GET', path)).body;
    const lastId = String(valueAt(last, 'data', '3', 'id'));
    assert.equal((await followed(path, { 'last-event-id': lastId })).status, 204);
  });

  test('a job can be followed to its end, as a job and as a build', async () => {
    const job = await call('POST', '/v1/jobs', { model: 'gpt-5-mini', prompt: 'hi' });
    const id = textAt(job.body, 'id');
    const [asJob, asBuild] = await Promise.all([
      followed(`/v1/jobs/${id}/events`).then((stream) => stream.rest()),
      followed(`/v1/builds/${id}/events`).then((stream) => stream.rest()),
    ]);
    const types = asJob.map(({ data }) => data['type']);
    assert.equal(types[0], 'submitted');
    assert.equal(types.at(-1), 'succeeded');
    assert.deepEqual(
      asBuild.map(({ data }) => data['type']).filter((type) => type !== 'job.output'),
      types.filter((type) => type !== 'routed').map((type) => `job.${String(type)}`),
    );
    assert.equal(asBuild.at(-1)?.data['finished'], true);
    const middle = asJob[1]?.id ?? '';
    const resumed = await followed(`/v1/jobs/${id}/events`, { 'last-event-id': middle });
    assert.deepEqual(await resumed.rest(), asJob.slice(2));
  });

  test('a reader gets no further event after its key is revoked', async () => {
    const path = '/v1/builds/b-revoked/events';
    await call('POST', '/admin/orgs', { id: 'leaving' }, gateway.adminKey);
    const keys = '/admin/orgs/leaving/keys';
    const [reader, writer] = await Promise.all(
      ['reader', 'writer'].map((name) => call('POST', keys, { name }, gateway.adminKey)),
    );
    const authorization = `Bearer ${textAt(reader?.body, 'key')}`;
    const stream = await openEventStream(gateway.url + path, { authorization });
    await call('POST', path, { type: 'one' }, textAt(writer?.body, 'key'));
    assert.equal((await stream.next())?.data['type'], 'one');
    await call('DELETE', `${keys}/${textAt(reader?.body, 'id')}`, undefined, gateway.adminKey);
    await call('POST', path, { type: 'two' }, textAt(writer?.body, 'key'));
    assert.deepEqual(await stream.rest(), []);
  });

  test('live readers are limited per organisation, and a disconnect frees a slot', async () => {
    const key = await newKey('crowd');
    const authorization = `Bearer ${key}`;
    const url = `${gateway.url}/v1/builds/b-crowd/events`;
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => openEventStream(url, { authorization })),
    );
    assert.ok(streams.every(({ status }) => status === 200));
    assert.equal((await openEventStream(url, { authorization })).status, 503);
    const elsewhere = await followed('/v1/builds/b-crowd/events');
    assert.equal(elsewhere.status, 200);
    elsewhere.leave();
    for (const stream of streams) stream.leave();
    let status = 503;
    while (status === 503) {
      const stream = await openEventStream(url, { authorization });
      status = stream.status;
      stream.leave();
    }
    assert.equal(status, 200);
  });

  test('a stopping gateway disconnects its live readers', async () => {
    const own = await startTestGateway();
    const authorization = `Bearer ${own.apiKey}`;
    const stream = await openEventStream(`${own.url}/v1/builds/b/events`, { authorization });
    const [rest] = await Promise.all([stream.rest(), own.close()]);
    assert.deepEqual(rest, []);
  });
});
