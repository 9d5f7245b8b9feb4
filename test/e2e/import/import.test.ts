// An imported configuration starts, answers, falls back when the first targets fail, and holds the budgets and limits of
// the peer's file. Each peer is one installation of separate processes; the unit tests use the same fixtures.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Answer, ask, errorOf } from '../../support/gateway/call-rig.ts';
import { type ImportedServer, startImported } from './import-rig.ts';

type PeerCase = {
  readonly peer: string;
  readonly fixture: string;
  /** The name that callers use, and the providers of its targets and of its first fallback. */
  readonly model: string;
  readonly targets: readonly string[];
  readonly fallback: string;
  /** Of the key that the import creates first. */
  readonly requestsPerMinute: number;
  /** Id, US dollars per month, requests per minute. */
  readonly organizations: readonly (readonly [string, number, number])[];
};

const CASES: readonly PeerCase[] = [
  {
    peer: 'litellm',
    fixture: 'litellm.yaml',
    model: 'gpt-4o',
    targets: ['openai-gpt-4o', 'azure'],
    fallback: 'anthropic',
    requestsPerMinute: 4,
    organizations: [['default', 50, 100]],
  },
  {
    peer: 'portkey',
    fixture: 'portkey.json',
    model: 'assistant',
    targets: ['openai-prod', 'groq'],
    fallback: 'anthropic-backup',
    requestsPerMinute: 3,
    organizations: [
      ['default', 100, 100],
      ['ws-search', 40, 100],
    ],
  },
  {
    peer: 'bifrost',
    fixture: 'bifrost.json',
    model: 'gpt-4o-mini',
    targets: ['openai'],
    fallback: 'anthropic',
    requestsPerMinute: 3,
    organizations: [
      ['cust-acme', 80, 10],
      ['default', 100, 100],
    ],
  },
];

for (const { peer, fixture, model, targets, fallback, requestsPerMinute, ...expected } of CASES)
  suite(`an imported ${peer} configuration`, () => {
    let server: ImportedServer;
    before(async () => {
      server = await startImported(peer, fixture);
    });
    after(() => server.close());

    async function chat(maxTokens = 20): Promise<Answer> {
      const [apiKey = ''] = server.keys;
      const messages = [{ role: 'user', content: 'Hello' }];
      const body = { model, messages, max_tokens: maxTokens };
      return ask({ url: server.url, apiKey }, { path: '/v1/chat/completions', body });
    }

    test("a call that exceeds the key's budget is refused and reaches no provider", async () => {
      const answer = await chat(16_000);
      assert.equal(answer.status, 402, answer.text);
      assert.equal(errorOf(answer).code, 'BUDGET_EXCEEDED');
      assert.deepEqual(server.asked(), []);
    });

    test('the organisations have the budgets and limits of the file', async () => {
      assert.deepEqual(await server.organizations(), expected.organizations);
    });

    test('a call is answered by a target of its alias', async () => {
      const answer = await chat();
      assert.equal(answer.status, 200, answer.text);
      const [provider = ''] = server.asked();
      assert.ok(targets.includes(provider), provider);
    });

    test('a fallback answers when every target has reached its limit', async () => {
      for (const provider of targets)
        server.simulator.setScenario({ provider, preset: 'usage-limit', resetInSeconds: 600 });
      const answer = await chat();
      assert.equal(answer.status, 200, answer.text);
      assert.equal(server.asked().at(-1), fallback);
    });

    test("a call over the key's requests per minute is refused", async () => {
      for (let call = 2; call < requestsPerMinute; call += 1) {
        const answer = await chat();
        assert.equal(answer.status, 200, answer.text);
      }
      const refused = await chat();
      assert.equal(refused.status, 429, refused.text);
      assert.equal(errorOf(refused).code, 'RATE_LIMITED');
    });
  });
