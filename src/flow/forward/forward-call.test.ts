import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../../../test/contract/server-registry.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import type { RegisteredServer } from '../../cluster/server-record.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { LogEntry } from '../../kernel/log.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';
import type {
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import type { FailedRequest, Reply, Serve } from '../serve/reply.ts';
import { serveForwardable } from './forward-call.ts';
import { decodePrincipal, encodePrincipal } from './forwarded-principal.ts';

const PRINCIPAL = decodePrincipal(
  encodePrincipal({
    organizationId: 'acme',
    keyId: 'key_1',
    scopes: new Set(['call']),
    diagnostics: false,
    locale: undefined,
    timeZone: 'UTC',
    messages: { INTERNAL: 'ours' },
    allowStale: false,
    allowPromptPreview: false,
    expiresAt: undefined,
    requestsPerMinute: 60,
    tokensPerMinute: undefined,
    tokensPerDay: undefined,
    maxConcurrent: 3,
    monthlyBudgetNanos: 5,
    userMonthlyBudgetNanos: undefined,
    keyRequestsPerMinute: undefined,
    keyMonthlyBudgetNanos: undefined,
    models: new Set(['claude-*']),
  }),
);

type Call = {
  readonly request: UpstreamRequest;
  readonly listener: UpstreamListener;
  isAborted: boolean;
};

function open(options: { readonly isDraining?: boolean; readonly servers?: number } = {}) {
  const clock = createTestClock();
  const calls: Call[] = [];
  const entries: LogEntry[] = [];
  const counts: string[] = [];
  const replies: unknown[] = [];
  const failures: FailedRequest[] = [];
  const servers: RegisteredServer[] = Array.from({ length: options.servers ?? 2 }, (_, index) => ({
    ...recordOf(`srv-${index}`, { incarnation: `inc-${index}`, url: `http://server-${index}:80` }),
    lastHeartbeat: clock.now(),
  }));
  const route = matchNativeRoute('/v1/messages');
  assert.ok(route && PRINCIPAL);
  const request: NativeRequest = {
    id: 'req_1',
    url: '/v1/messages?beta=true&key=secret',
    route,
    principal: PRINCIPAL,
    headers: {
      'x-api-key': 'secret',
      authorization: 'Bearer secret',
      'x-build-id': 'build-7',
      'idempotency-key': 'once',
      'x-request-id': 'theirs',
      'x-request-deadline-ms': '5000',
      'accept-language': 'de',
    },
    body: Buffer.from('{"model":"claude-x"}'),
    correlationId: 'theirs',
    startedAtMs: clock.monotonic(),
  };
  const reply: Reply = {
    begin: (status, headers) => void replies.push({ status, headers }),
    write: (chunk) => replies.push(String(chunk)) > 0,
    end: (chunk) => void replies.push({ end: chunk === undefined ? '' : String(chunk) }),
  };
  const parts = {
    serverId: 'srv-self',
    secret: 's'.repeat(32),
    clock,
    newNonce: () => 'n'.repeat(22),
    directory: { snapshot: async () => ({ now: clock.now(), servers, isStale: false }) },
    selector: { select: async () => servers },
    statistics: {
      count: (outcome: string, reason: string) => void counts.push(`${outcome} ${reason}`),
      counts: () => ({ local: {}, proxied: {}, failed: {} }),
      forwarded: () => {},
      forwardedTo: () => ({}),
    },
    limits: { active: () => undefined },
    upstream: {
      send(sent: UpstreamRequest, listener: UpstreamListener) {
        const call: Call = { request: sent, listener, isAborted: false };
        calls.push(call);
        return {
          abort: () => void (call.isAborted = true),
          pause: () => {},
          resume: () => {},
        };
      },
      close: () => Promise.resolve(),
    },
    log: { write: (entry: LogEntry) => void entries.push(entry), flush: () => Promise.resolve() },
    isDraining: () => options.isDraining ?? false,
  };
  const start = (serve: Serve) =>
    serveForwardable(
      parts,
      request,
      { reply, answerFailure: (failure) => void failures.push(failure) },
      () => ({ requestedModel: 'claude-x', targets: [{ provider: 'anthropic' }] }),
      serve,
    );
  return { clock, calls, entries, counts, replies, failures, servers, start };
}

const SERVED = { drained: () => {}, gone: () => {} };

function failing(error: SpillwayError, wasCalled = false): Serve {
  return (_reply, failed) => {
    failed({ error, isBegun: false, wasCalled });
    return SERVED;
  };
}

const LIMITED = new SpillwayError('AI_LIMIT_REACHED', 'limited');

async function nextCall(rig: ReturnType<typeof open>, index: number): Promise<Call> {
  while (rig.calls.length <= index) await new Promise((resolve) => setImmediate(resolve));
  const call = rig.calls[index];
  assert.ok(call);
  return call;
}

function answer({ listener }: Call, status: number, headers: UpstreamHeaders, body: string): void {
  listener.onHead(status, { 'content-length': String(body.length), ...headers });
  listener.onData(Buffer.from(body));
  listener.onEnd();
}

function headerOf({ request: { headers } }: Call, name: string): string | undefined {
  const at = headers.indexOf(name);
  return at < 0 ? undefined : headers[at + 1];
}

test('a request that is served here is not forwarded', async () => {
  const rig = open();
  rig.start((reply) => {
    reply.begin(200, []);
    reply.end(Buffer.from('{}'));
    return SERVED;
  });
  assert.deepEqual(rig.replies, [{ status: 200, headers: [] }, { end: '{}' }]);
  assert.deepEqual(rig.counts, ['local available']);
  assert.equal(rig.calls.length, 0);
});

test('a limited provider sends the request to another server, and the caller gets that answer', async () => {
  const rig = open();
  rig.start(failing(LIMITED, true));
  const call = await nextCall(rig, 0);
  assert.equal(call.request.origin, 'http://server-0');
  assert.equal(call.request.path, '/v1/messages?beta=true');
  assert.equal(headerOf(call, 'x-original-server'), 'srv-self');
  assert.equal(headerOf(call, 'x-spillway-target'), 'srv-0;incarnation=inc-0');
  assert.equal(headerOf(call, 'x-build-id'), 'build-7');
  assert.equal(headerOf(call, 'x-request-id'), 'theirs');
  assert.equal(headerOf(call, 'x-spillway-request'), 'req_1');
  assert.equal(headerOf(call, 'x-request-deadline-ms'), '5000');
  assert.ok(!call.request.headers.some((text) => text.includes('secret')));
  const served = { 'x-spillway-served-by': 'srv-0', 'set-cookie': 'a=b', connection: 'close' };
  answer(call, 200, served, '{"ok":1}');
  assert.deepEqual(rig.replies, [
    { status: 200, headers: ['content-length', '8', 'x-spillway-served-by', 'srv-0'] },
    { end: '{"ok":1}' },
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(rig.counts, ['proxied local_ai_limit']);
  const [entry] = rig.entries;
  assert.equal(entry?.message, 'build_routed_external');
  assert.deepEqual(entry?.metadata, {
    buildId: 'build-7',
    userId: undefined,
    organizationId: 'acme',
    fromServerId: 'srv-self',
    reason: 'local_ai_limit',
    toServerId: 'srv-0',
  });
});

test('a server that fails before its first byte is followed by the next, then by the local answer', async () => {
  const rig = open();
  rig.start(failing(LIMITED));
  const first = await nextCall(rig, 0);
  first.listener.onHead(200, { 'content-length': '10' });
  first.listener.onData(Buffer.from('{"'));
  first.listener.onFailure(new Error('reset'));
  const second = await nextCall(rig, 1);
  second.listener.onHead(503, {});
  assert.equal(second.isAborted, true);
  while (rig.failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(rig.failures[0]?.error, LIMITED);
  assert.deepEqual(rig.replies, []);
  assert.deepEqual(rig.counts, ['failed local_ai_limit']);
  assert.deepEqual(
    rig.entries.map(({ level, message }) => `${level} ${message}`),
    [
      'error a server did not take a forwarded request',
      'error a server did not take a forwarded request',
      'info build_routed_local',
    ],
  );
});

test('the mistake of a caller is relayed from the first server', async () => {
  const rig = open();
  rig.start(failing(LIMITED));
  answer(await nextCall(rig, 0), 400, {}, '{"error":1}');
  assert.deepEqual(rig.replies.at(-1), { end: '{"error":1}' });
});

test('a stream is relayed as it arrives, and its break becomes the error of the stream', async () => {
  const rig = open();
  rig.start(failing(LIMITED));
  const { listener } = await nextCall(rig, 0);
  listener.onHead(200, { 'content-type': 'text/event-stream' });
  listener.onData(Buffer.from('event: a\n\n'));
  assert.equal(rig.replies.at(-1), 'event: a\n\n');
  listener.onFailure(new Error('reset'));
  assert.equal(rig.failures[0]?.isBegun, true);
  assert.equal(rig.calls.length, 1);
});

test('a server that misses its heartbeats while the request waits is given up', async () => {
  const rig = open();
  const [, living] = rig.servers;
  assert.ok(living);
  rig.servers[1] = { ...living, lastHeartbeat: rig.clock.now() + 5000 };
  rig.start(failing(LIMITED));
  const first = await nextCall(rig, 0);
  await rig.clock.advance(5000);
  assert.equal(first.isAborted, false);
  await rig.clock.advance(3000);
  assert.equal(first.isAborted, true);
  answer(await nextCall(rig, 1), 200, {}, '{}');
  assert.deepEqual(rig.replies.at(-1), { end: '{}' });
  assert.equal(rig.clock.pendingTimers(), 0);
});

test('failures that another server would repeat are answered here', () => {
  const repeated: readonly [SpillwayError, boolean][] = [
    [new SpillwayError('INVALID_REQUEST', 'no'), false],
    [new SpillwayError('BUDGET_EXCEEDED', 'no'), false],
    [new SpillwayError('RATE_LIMITED', 'no', { params: { scope: 'organization' } }), false],
    [new SpillwayError('PROVIDER_UNAVAILABLE', 'called and failed'), true],
  ];
  for (const [error, wasCalled] of repeated) {
    const rig = open();
    rig.start(failing(error, wasCalled));
    assert.equal(rig.failures[0]?.error, error);
    assert.equal(rig.calls.length, 0);
  }
});

test('a draining server forwards first, and serves itself when no server can', async () => {
  const rig = open({ isDraining: true, servers: 0 });
  const served = new Promise<void>((resolve) => {
    rig.start((reply) => {
      reply.begin(200, []);
      reply.end(Buffer.from('{}'));
      resolve();
      return SERVED;
    });
  });
  await served;
  assert.deepEqual(rig.replies.at(-1), { end: '{}' });
  const other = open({ isDraining: true });
  other.start(() => assert.fail('served here'));
  answer(await nextCall(other, 0), 200, {}, '{}');
  assert.deepEqual(other.replies.at(-1), { end: '{}' });
});

test('a caller that leaves cancels the forwarded request', async () => {
  const rig = open();
  const served = rig.start(failing(LIMITED));
  const call = await nextCall(rig, 0);
  served.gone();
  assert.equal(call.isAborted, true);
  call.listener.onFailure(new Error('aborted'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(rig.calls.length, 1);
  assert.deepEqual(rig.failures, []);
  assert.equal(rig.clock.pendingTimers(), 0);
});

test('a principal survives its encoding, without the sentences of its organisation', () => {
  assert.ok(PRINCIPAL);
  assert.deepEqual(PRINCIPAL.messages, {});
  assert.equal(PRINCIPAL.maxConcurrent, 3);
  assert.deepEqual([...(PRINCIPAL.models ?? [])], ['claude-*']);
  assert.deepEqual(decodePrincipal(encodePrincipal(PRINCIPAL)), PRINCIPAL);
  for (const text of ['', 'e30', '%%%']) assert.equal(decodePrincipal(text), undefined);
});
