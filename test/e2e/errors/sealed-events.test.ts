// The sealed boundary of events and callbacks: every known failure, with secrets planted in all parts,
// reported as an error, hidden in an event's data or used as its texts, and read through every interface; and job
// failures as sent in callbacks. None of the secrets comes out.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { FAILURES } from '../../../src/errors/fixtures/all-failures.ts';
import { type CallbackHost, startCallbackHost } from '../../support/gateway/callback-host.ts';
import { openEventStream } from '../../support/gateway/event-stream.ts';
import { textAt } from '../../support/response-fields.ts';
import {
  CANARIES,
  canariesIn,
  leaksIn,
  type PlantedResponse,
  plant,
  strangeHeaders,
} from './canaries.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { ADMIN_KEY, CALLER_KEY, openSealedRig, type SealedRig } from './sealed-rig.ts';

const FIXTURES = Object.values(FAILURES).flat();
const SCRIPT: readonly PlantedResponse[] = FIXTURES.map(plant);

/** The ways in which products report a failure: its text, its JSON, a response, and hidden in the data. */
const REPORTS: Record<string, (planted: PlantedResponse) => object> = {
  text: ({ body }) => ({ error: String(body) }),
  json: ({ body }) => ({ error: parsed(String(body)) }),
  response: ({ status, headers, body }) => ({ error: { status, headers, body: String(body) } }),
  data: ({ body }) => ({
    data: { step: 3, result: [{ error: parsed(String(body)), stack: CANARIES.stack }] },
  }),
};

/** A failure as the texts of an event, cut to the lengths that a report may have. */
function asTexts({ body }: PlantedResponse): object {
  const text = String(body);
  return {
    title: text.slice(0, 500) || undefined,
    description: `The step stopped: ${text}`.slice(0, 5000),
    data: { step: 3, log: ['npm install', { line: text }], detail: parsed(text) },
  };
}

suite('every known failure in build events', () => {
  let rig: SealedRig;
  before(async () => {
    rig = await openSealedRig('http://127.0.0.1:9');
  });
  after(() => rig.close());

  for (const [way, toReport] of Object.entries(REPORTS))
    test(`reported as ${way}: the answer, the list and the stream are sealed`, async () => {
      const problems: string[] = [];
      for (const [index, planted] of SCRIPT.entries()) {
        const label = `${FIXTURES[index]?.name}, ${way}`;
        const path = `/v1/builds/${way}-${index}/events`;
        const posted = await rig.call('POST', path, {
          type: 'failed',
          finished: true,
          ...toReport(planted),
        });
        assert.equal(posted.status, 201, `${label}: ${posted.text}`);
        const listed = await rig.call('GET', path);
        const authorization = `Bearer ${CALLER_KEY}`;
        const stream = await openEventStream(rig.url + path, { authorization });
        const streamed = JSON.stringify(await stream.rest());
        for (const text of [posted.text, listed.text, streamed]) {
          const hasCode = /"code":"[A-Z_]+"/.test(text);
          const leaks = [...leaksIn(text, planted), ...(hasCode ? [] : ['no code of ours'])];
          problems.push(...leaks.map((leak) => `${label}: ${leak} in ${text}`));
        }
        problems.push(...strangeHeaders(posted.headers), ...strangeHeaders(listed.headers));
      }
      assert.deepEqual(problems, []);
    });

  for (const type of ['failed', 'step'])
    test(`used as the texts of an event of type ${type}: the list and the stream are sealed`, async () => {
      const problems: string[] = [];
      for (const [index, planted] of SCRIPT.entries()) {
        const label = `${FIXTURES[index]?.name}, texts of ${type}`;
        const path = `/v1/builds/texts-${type}-${index}/events`;
        const event = { type, finished: true, ...asTexts(planted) };
        const posted = await rig.call('POST', path, event);
        assert.equal(posted.status, 201, `${label}: ${posted.text}`);
        const listed = await rig.call('GET', `${path}?fields=classic`);
        const authorization = `Bearer ${CALLER_KEY}`;
        const stream = await openEventStream(rig.url + path, { authorization });
        const streamed = JSON.stringify(await stream.rest());
        for (const text of [posted.text, listed.text, streamed])
          problems.push(...leaksIn(text, planted).map((leak) => `${label}: ${leak} in ${text}`));
      }
      assert.deepEqual(problems, []);
    });

  test('known failures without planted secrets are no texts of a failed event', async () => {
    const problems: string[] = [];
    for (const [index, fixture] of FIXTURES.entries()) {
      const body = unplanted(fixture.failure);
      if (fixture.code === 'INTERNAL' || body.trim() === '') continue;
      const raw = { status: 500, headers: {}, body };
      const path = `/v1/builds/raw-${index}/events`;
      await rig.call('POST', path, {
        type: 'failed',
        title: body.slice(0, 500),
        description: body,
      });
      const { text } = await rig.call('GET', path);
      problems.push(...leaksIn(text, raw).map((leak) => `${fixture.name}: ${leak} in ${text}`));
    }
    assert.deepEqual(problems, []);
  });

  test('operators read the reported text, without configured keys', async () => {
    const error = `invalid key ${CANARIES.providerKey} at ${CANARIES.host}`;
    await rig.call('POST', '/v1/builds/told/events', { type: 'failed', error });
    const seen = await rig.call('GET', '/admin/builds/told/events', undefined, { key: ADMIN_KEY });
    assert.deepEqual(canariesIn(seen.text), [CANARIES.host, 'canary']);
  });
});

suite('job failures in build events and in callbacks', () => {
  let upstream: ScriptedUpstream;
  let host: CallbackHost;
  let rig: SealedRig;
  before(async () => {
    upstream = await startScriptedUpstream(SCRIPT);
    host = await startCallbackHost();
    rig = await openSealedRig(upstream.url, { EGRESS_ALLOW_HOSTS: '127.0.0.1' });
  });
  after(async () => {
    await rig.close();
    await host.close();
    await upstream.close();
  });

  /** Codes that end a job immediately; others only delay it. */
  const ENDING = ['AUTH_FAILED', 'INVALID_REQUEST', 'CONTENT_POLICY', 'CONTEXT_TOO_LONG'] as const;

  for (const code of ENDING)
    test(`${code}: the callback to the owner is sealed`, async () => {
      const index = FIXTURES.findIndex((fixture) => fixture.code === code);
      const request = {
        messages: [{ role: 'user', content: 'Hello' }],
        plan: `${index}:refuse`,
      };
      const receipt = await rig.call('POST', '/v1/jobs', {
        model: 'gpt-5-mini',
        format: 'openai',
        request,
        callbackUrl: `${host.url}/hook`,
      });
      const callback = await host.next();
      const id = textAt(JSON.parse(receipt.text), 'id');
      assert.equal(textAt(JSON.parse(callback.body), 'id'), id);
      assert.equal(textAt(JSON.parse(callback.body), 'error', 'code'), code);
      const events = await rig.call('GET', `/v1/builds/${id}/events`);
      assert.match(events.text, new RegExp(code));
      const history = await rig.call('GET', `/v1/jobs/${id}/events`);
      for (const text of [
        callback.body,
        JSON.stringify(callback.headers),
        events.text,
        history.text,
      ])
        assert.deepEqual(leaksIn(text, SCRIPT[index]), [], text);
    });
});

/** The text of a failure as a product prints it. */
function unplanted(failure: unknown): string {
  if (failure instanceof Error) return `${failure.name}: ${failure.message}`;
  const isResponse = typeof failure === 'object' && failure !== null && 'body' in failure;
  const body: unknown = isResponse ? failure.body : failure;
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
