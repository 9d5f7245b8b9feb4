import assert from 'node:assert/strict';
import test from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { startSimulator } from '../simulator.ts';

const clock = createTestClock();
const simulator = await startSimulator({ clock });
test.after(() => simulator.close());
test.beforeEach(() => {
  simulator.resetScenario();
  simulator.clearLog();
});

const PROVIDERS = {
  anthropic: {
    path: () => '/v1/messages',
    body: (stream: boolean) => ({
      model: 'm',
      max_tokens: 500,
      stream,
      messages: [{ role: 'user', content: 'hello' }],
    }),
    content: /text_delta/g,
    closing: 'message_stop',
    keepAlive: /event: ping/g,
  },
  openai: {
    path: () => '/v1/chat/completions',
    body: (stream: boolean) => ({
      model: 'm',
      stream,
      messages: [{ role: 'user', content: 'hello' }],
    }),
    content: /"delta":\{"content":"[^"]/g,
    closing: '[DONE]',
    keepAlive: /: keep-alive/g,
  },
  gemini: {
    path: (stream: boolean) =>
      `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ parts: [{ text: 'hello' }] }] }),
    content: /"text":"[^"]/g,
    closing: 'finishReason',
    keepAlive: /: keep-alive/g,
  },
} as const;

type Provider = keyof typeof PROVIDERS;

const EACH: readonly Provider[] = ['anthropic', 'openai', 'gemini'];

function call(provider: Provider, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const { path, body } = PROVIDERS[provider];
  return fetch(simulator.url + path(stream), {
    method: 'POST',
    headers: { authorization: 'Bearer key' },
    body: JSON.stringify(body(stream)),
    ...(signal ? { signal } : {}),
  });
}

/** The received text and the error that ended the read, if any. */
async function readAll(response: Response): Promise<{ text: string; failure: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, failure: undefined };
  } catch (failure) {
    return { text, failure };
  }
}

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

for (const provider of EACH) {
  const { content, closing, keepAlive } = PROVIDERS[provider];

  test(`${provider}: a stream is cut after the requested number of chunks`, async () => {
    for (const afterChunks of [0, 2]) {
      simulator.setScenario({ fault: 'cut', afterChunks });
      const { text, failure } = await readAll(await call(provider, true));
      assert.ok(failure instanceof Error);
      assert.equal(count(text, content), afterChunks);
      const entry = simulator.log().at(-1);
      assert.deepEqual(
        [entry?.outcome, entry?.chunksSent, entry?.status],
        ['cut', afterChunks, 200],
      );
    }
  });

  test(`${provider}: a cut beyond the last chunk happens before the closing event`, async () => {
    simulator.setScenario({ fault: 'cut', afterChunks: 1_000 });
    const { text, failure } = await readAll(await call(provider, true));
    assert.ok(failure instanceof Error);
    assert.ok(!text.includes(closing));
  });

  test(`${provider}: a unary answer is cut in the middle of its body`, async () => {
    simulator.setScenario({ preset: 'cut' });
    const response = await call(provider, false);
    await assert.rejects(response.text());
    assert.equal(simulator.log().at(-1)?.outcome, 'cut');
  });

  test(`${provider}: a connection is reset before any answer`, async () => {
    simulator.setScenario({ preset: 'reset' });
    await assert.rejects(call(provider, true));
    const entry = simulator.log().at(-1);
    assert.deepEqual([entry?.outcome, entry?.status, entry?.inputTokens], ['cut', null, 0]);
  });

  test(`${provider}: a stream ends early without its closing event`, async () => {
    simulator.setScenario({ preset: 'early-end' });
    const { text, failure } = await readAll(await call(provider, true));
    assert.equal(failure, undefined);
    assert.equal(count(text, content), 3);
    assert.ok(!text.includes(closing));
    assert.equal(simulator.log().at(-1)?.outcome, 'cut');
  });

  test(`${provider}: overload is reported inside a stream, before or after content`, async () => {
    for (const afterChunks of [0, 3]) {
      simulator.setScenario({ fault: 'overloaded', afterChunks });
      const response = await call(provider, true);
      const { text } = await readAll(response);
      assert.equal(response.status, 200);
      assert.equal(count(text, content), afterChunks);
      assert.match(text, /overloaded/i);
      assert.ok(!text.includes(closing));
      assert.equal(simulator.log().at(-1)?.outcome, 'failed_in_stream');
    }
  });

  test(`${provider}: a hang sends nothing, and the log records the disconnect`, async () => {
    for (const stream of [true, false]) {
      simulator.setScenario({ preset: 'hang' });
      const control = new AbortController();
      const calling = call(provider, stream, control.signal);
      const hanging = await simulator.waitFor(
        (entry) => entry.outcome === 'hung' && entry.stream === stream,
      );
      assert.equal(hanging.status, null);
      control.abort();
      await assert.rejects(calling);
      const done = await simulator.waitFor(
        (entry) => entry.sequence === hanging.sequence && entry.abortedAt !== null,
      );
      assert.equal(done.outcome, 'hung');
    }
  });

  test(`${provider}: headers are sent, then nothing`, async () => {
    for (const stream of [true, false]) {
      simulator.setScenario({ preset: 'hang-after-headers' });
      const control = new AbortController();
      const response = await call(provider, stream, control.signal);
      assert.equal(response.status, 200);
      const reading = readAll(response);
      await simulator.waitFor((entry) => entry.outcome === 'hung' && entry.stream === stream);
      control.abort();
      assert.equal((await reading).text, '');
    }
  });

  test(`${provider}: a stream stalls after its chunks and resumes after its pause`, async () => {
    simulator.setScenario({ fault: 'stall', afterChunks: 2, pauseMs: 5_000 });
    const response = await call(provider, true);
    const reading = readAll(response);
    const stalled = await simulator.waitFor((entry) => entry.outcome === 'hung');
    assert.equal(stalled.chunksSent, 2);
    await clock.advance(5_000);
    const { text } = await reading;
    assert.ok(text.includes(closing));
    assert.equal(simulator.log().at(-1)?.outcome, 'ok');
  });

  test(`${provider}: keep-alives are sent without content`, async () => {
    simulator.setScenario({ preset: 'keep-alive-only' });
    const control = new AbortController();
    const response = await call(provider, true, control.signal);
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    await simulator.waitFor((entry) => entry.outcome === 'hung');
    let text = '';
    while (count(text, keepAlive) < 4) {
      await clock.advance(1_000);
      text += new TextDecoder().decode((await reader.read()).value);
    }
    assert.equal(count(text, content), 0);
    control.abort();
    const done = await simulator.waitFor((entry) => entry.abortedAt !== null);
    assert.deepEqual([done.outcome, done.chunksSent], ['hung', 0]);
  });

  test(`${provider}: malformed, truncated and empty answers have status 200 and no valid JSON`, async () => {
    for (const preset of ['malformed-json', 'truncated-json', 'empty-body']) {
      simulator.setScenario({ preset });
      const response = await call(provider, false);
      assert.equal(response.status, 200);
      await assert.rejects(response.json(), SyntaxError);
      assert.equal(simulator.log().at(-1)?.outcome, 'garbled');
    }
  });

  test(`${provider}: a stream has one event that is not JSON`, async () => {
    for (const [preset, chunks] of [
      ['malformed-json', 3],
      ['truncated-json', 3],
      ['empty-body', 0],
    ] as const) {
      simulator.setScenario({ preset });
      const { text, failure } = await readAll(await call(provider, true));
      assert.equal(failure, undefined);
      assert.equal(simulator.log().at(-1)?.chunksSent, chunks);
      assert.equal(simulator.log().at(-1)?.outcome, 'garbled');
      assert.ok(!text.includes(closing));
    }
  });

  test(`${provider}: HTML pages of proxies are sent`, async () => {
    simulator.setScenario({ preset: 'nginx-502' });
    const nginx = await call(provider, true);
    assert.deepEqual([nginx.status, nginx.headers.get('server')], [502, 'nginx/1.26.1']);
    assert.match(await nginx.text(), /<h1>502 Bad Gateway/);
    simulator.setScenario({ preset: 'cloudflare-522', secret: 'canary-7' });
    const cloudflare = await call(provider, false);
    assert.equal(cloudflare.status, 522);
    assert.match(await cloudflare.text(), /522: Connection timed out[^]*canary-7/);
  });

  test(`${provider}: a correct answer is sent with a wrong content type`, async () => {
    simulator.setScenario({ preset: 'wrong-content-type' });
    for (const stream of [true, false]) {
      const response = await call(provider, stream);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.ok((await response.text()).length > 50);
    }
  });
}

test('invalid JSON can be sent with an error status', async () => {
  simulator.setScenario({ fault: 'empty-body', status: 429 });
  const response = await call('openai', false);
  assert.deepEqual([response.status, await response.text()], [429, '']);
  assert.equal(simulator.log().at(-1)?.inputTokens, 0);
});
