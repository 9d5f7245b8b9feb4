import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { type Connection, FollowError, follow } from './follow.ts';
import { followBuild } from './follow-build.ts';
import { followJob, type JobProgress } from './follow-job.ts';

type SentEvent = { readonly id: number; readonly [field: string]: unknown };
type Reply = (response: ServerResponse, request: IncomingMessage) => void;

let base: string;
let replies: Reply[];
let jobs: Reply;
const tab = new EventTarget();
const asked: { readonly after: string; readonly accept: string }[] = [];

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://x');
  if (!url.pathname.endsWith('/events')) return jobs(response, request);
  asked.push({ after: url.searchParams.get('after') ?? '', accept: request.headers.accept ?? '' });
  (replies.shift() ?? refuse(500))(response, request);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.addEventListener = tab.addEventListener.bind(tab);
  globalThis.removeEventListener = tab.removeEventListener.bind(tab);
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  replies = [];
});

/** A tab that wakes ends a pause, so that a test does not wait for it. */
function wakeSoon(): void {
  setTimeout(() => tab.dispatchEvent(new Event('online')), 5);
}

function stream(events: readonly SentEvent[], end: 'close' | 'cut' = 'close'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('retry: 1\n\n');
    for (const event of events)
      response.write(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
    if (end === 'close') response.end();
    else setImmediate(() => response.destroy());
  };
}

function page(data: readonly object[], nextCursor: string | null = null): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, nextCursor }));
  };
}

function refuse(status: number, headers: Record<string, string> = {}, error: object = {}): Reply {
  return (response) => void response.writeHead(status, headers).end(JSON.stringify({ error }));
}

/** Follows events until an event with `last`; returns their ids and the states of the connection. */
async function followed(options: { readonly signal?: AbortSignal; readonly after?: number } = {}) {
  const ids: unknown[] = [];
  const connections: Connection[] = [];
  const source = {
    onEvent(event: Readonly<Record<string, unknown>>) {
      ids.push(event['id']);
      return event['last'] === true;
    },
  };
  const onConnection = (connection: Connection) => {
    connections.push(connection);
    if (connection !== 'live') wakeSoon();
  };
  await follow(`${base}/x/events`, source, { ...options, onConnection });
  return { ids, connections };
}

suite('following events', () => {
  test('ends with the stream of the last event', async () => {
    replies = [stream([{ id: 1 }, { id: 2, last: true }])];
    const { ids, connections } = await followed();
    assert.deepEqual(ids, [1, 2]);
    assert.deepEqual(connections, ['connecting', 'live']);
    assert.equal(asked[0]?.accept, 'text/event-stream');
  });

  test('resumes a broken stream after the last event, each event once', async () => {
    replies = [
      stream([{ id: 1 }, { id: 2 }], 'cut'),
      refuse(503, { 'retry-after-ms': '1' }),
      stream([{ id: 2 }, { id: 3 }], 'close'),
      stream([{ id: 4, last: true }]),
    ];
    const { ids } = await followed();
    assert.deepEqual(ids, [1, 2, 3, 4]);
    assert.deepEqual(
      asked.map(({ after }) => after),
      ['0', '2', '2', '3'],
    );
  });

  test('a job that an operator requeued continues after its earlier last event', async () => {
    replies = [
      stream([{ id: 1, last: true }, { id: 2 }], 'close'),
      stream([{ id: 3, last: true }]),
    ];
    assert.deepEqual((await followed()).ids, [1, 2, 3]);
  });

  test('204 means that the last event is known', async () => {
    replies = [(response) => void response.writeHead(204).end()];
    assert.deepEqual((await followed({ after: 9 })).ids, []);
  });

  test('polls where the server answers JSON, and where streams bring nothing', async () => {
    replies = [page([{ id: 1 }], '1'), page([{ id: 2, last: true }])];
    assert.deepEqual((await followed()).ids, [1, 2]);
    asked.length = 0;
    replies = [refuse(502), refuse(502), page([{ id: 1 }]), page([{ id: 2, last: true }])];
    const { ids, connections } = await followed();
    assert.deepEqual(ids, [1, 2]);
    assert.equal(asked[2]?.accept, 'application/json');
    assert.equal(connections.at(-1), 'polling');
  });

  test('a refusal that no retry can resolve rejects with the failure', async () => {
    replies = [refuse(404, {}, { code: 'NOT_FOUND', message: 'Unknown job.' })];
    const refused = (error: unknown) =>
      error instanceof FollowError && error.failure.code === 'NOT_FOUND';
    await assert.rejects(followed(), refused);
  });

  test('ends with the reason of its signal, connected or waiting', async () => {
    for (const reply of [
      stream([{ id: 1 }], 'close'),
      (response: ServerResponse) => void response,
    ]) {
      const leaving = new AbortController();
      replies = [
        (response, request) => {
          reply(response, request);
          leaving.abort(new Error('left'));
        },
      ];
      await assert.rejects(followed({ signal: leaving.signal }), /left/);
    }
  });

  test('malformed events are skipped', async () => {
    replies = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          'data: {"id":\n\ndata: 7\n\ndata: {"id":"x"}\n\nid: 1\ndata: {"id":1,"last":true}\n\n',
        );
      },
    ];
    assert.deepEqual((await followed()).ids, [1]);
  });
});

suite('following a job', () => {
  test('shows why it waits, its growing output of the latest attempt, and its result', async () => {
    const error = {
      code: 'RATE_LIMITED',
      message: 'Paused.',
      retryable: true,
      retryAfterMs: 4000,
      params: {},
    };
    const views = [
      { id: 'j', status: 'delayed', position: 2, waitingFor: error },
      { id: 'j', status: 'succeeded', output: 'Hello world', costUsd: 0.1 },
    ];
    let isDone = false;
    jobs = (response) => void response.end(JSON.stringify(isDone ? views[1] : views[0]));
    replies = [
      stream(
        [
          { id: 1, type: 'submitted' },
          { id: 2, type: 'delayed', until: 1 },
        ],
        'cut',
      ),
      stream([
        { id: 3, type: 'running', attempt: 1 },
        { id: 4, type: 'output', output: 'Bro' },
        { id: 5, type: 'running', attempt: 2 },
        { id: 6, type: 'output', output: 'Hel' },
        { id: 7, type: 'output', output: 'lo' },
      ]),
      (response, request) => {
        isDone = true;
        stream([{ id: 8, type: 'succeeded' }])(response, request);
      },
    ];
    const seen: JobProgress[] = [];
    const ended = await followJob(`${base}/j`, {
      onProgress(progress) {
        seen.push(progress);
        if (progress.connection === 'reconnecting') wakeSoon();
      },
    });
    assert.ok(seen.some(({ waitingFor }) => waitingFor?.message === 'Paused.'));
    assert.ok(seen.some(({ position }) => position === 2));
    const outputs = seen.map(({ output }) => output);
    for (const output of ['Bro', 'Hel', 'Hello']) assert.ok(outputs.includes(output), output);
    assert.ok(!outputs.includes('BroHel'));
    assert.equal(ended.status, 'succeeded');
    assert.equal(ended.output, 'Hello world');
    assert.equal(ended.waitingFor, undefined);
    assert.equal(ended.details?.['costUsd'], 0.1);
    assert.equal(ended.lastEventId, 8);
  });

  test('continues from a stored snapshot without the events before it', async () => {
    jobs = (response) =>
      void response.end(
        JSON.stringify({
          id: 'j',
          status: 'failed',
          error: { code: 'CONTENT_POLICY', message: 'Rephrase.' },
        }),
      );
    replies = [
      stream(
        [
          { id: 1, type: 'running', attempt: 1 },
          { id: 2, type: 'output', output: 'a' },
        ],
        'cut',
      ),
    ];
    const leaving = new AbortController();
    let stored = '';
    const first = followJob(`${base}/j`, {
      signal: leaving.signal,
      onProgress(progress) {
        if (progress.output !== 'a') return;
        stored = JSON.stringify(progress);
        leaving.abort();
      },
    });
    await assert.rejects(first);
    asked.length = 0;
    replies = [stream([{ id: 3, type: 'failed' }])];
    const ended = await followJob(`${base}/j`, { from: JSON.parse(stored) });
    assert.equal(asked[0]?.after, '2');
    assert.equal(ended.output, 'a');
    assert.equal(ended.failure?.message, 'Rephrase.');
  });
});

suite('following a build', () => {
  test('gives typed events with failures, safe links and times of this device', async () => {
    const error = { code: 'AI_LIMIT_REACHED', params: {}, message: 'Later.' };
    replies = [
      stream([
        {
          id: 1,
          type: 'page.done',
          data: { page: 'home' },
          createdAt: 5,
          previewUrl: 'javascript:alert(1)',
        },
        {
          id: 2,
          type: 'build.failed',
          createdAt: '2026-01-05T12:00:00.000Z',
          error,
          finished: true,
        },
      ]),
    ];
    const pages: string[] = [];
    const last = await followBuild<{ 'page.done': { page: string }; 'build.failed': unknown }>(
      `${base}/b/events`,
      {
        onEvent(event) {
          if (event.type === 'page.done') pages.push(event.data.page);
          assert.equal(event.previewUrl, null);
        },
      },
    );
    assert.deepEqual(pages, ['home']);
    assert.equal(last?.failure?.message, 'Later.');
    assert.equal(last.createdAt, Date.UTC(2026, 0, 5, 12));
  });
});
