// A queued request with an alias of a provider of another wire format: the provider gets a request of its own format,
// and the owner finds the result in the format of the request.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const ALIASES = `${SINGLE_ATTEMPTS}
aliases:
  claude: { targets: [anthropic/claude-sonnet-5-5] }
  gpt: { targets: [openai/gpt-5-mini] }
  gemini: { targets: [gemini/gemini-2.5-flash] }
`;

const SYSTEM = 'Answer briefly.';
const MESSAGES = [{ role: 'user', content: 'Hello' }];

const REQUESTS = {
  '/v1/messages': { max_tokens: 50, system: SYSTEM, messages: MESSAGES },
  '/v1/chat/completions': { messages: [{ role: 'system', content: SYSTEM }, ...MESSAGES] },
  '/v1/responses': { store: false, instructions: SYSTEM, input: 'Hello' },
} as const;

type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

suite('a job across formats', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({}, () => ALIASES);
  });
  after(() => gateway.close());

  async function call(path: string, init: Sent = {}): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${gateway.apiKey}`, ...init.headers };
    const response = await fetch(gateway.url + path, { ...init, headers });
    return Object(await response.json());
  }

  async function run(path: string, body: object): Promise<Record<string, unknown>> {
    const queued = await call(path, {
      method: 'POST',
      headers: { prefer: 'respond-async', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const events = await fetch(`${gateway.url}/v1/jobs/${String(queued['id'])}/events`, {
      headers: { authorization: `Bearer ${gateway.apiKey}`, accept: 'text/event-stream' },
    });
    // The stream of events ends with the job.
    await events.text();
    return call(`/v1/jobs/${String(queued['id'])}`);
  }

  for (const [path, request] of Object.entries(REQUESTS))
    for (const model of ['claude', 'gpt', 'gemini'])
      for (const stream of [false, true])
        test(`${path} is run by ${model}${stream ? ', streamed' : ''}`, async () => {
          gateway.simulator.clearLog();
          const job = await run(path, { ...request, model, stream });
          assert.equal(job['status'], 'succeeded', JSON.stringify(job));
          assert.match(String(job['output']), /Hello/);
          const response = Object(job['response']);
          const shape = { '/v1/messages': 'content', '/v1/chat/completions': 'choices' }[path];
          assert.ok(Array.isArray(response[shape ?? 'output']), JSON.stringify(response));
          assert.ok(Number(job['costUsd']) > 0);
          const [entry] = gateway.simulator.log();
          assert.equal(entry?.outcome, 'ok');
        });
});
