// The sealed boundary: every failure we know, with secrets planted in all of it, by every way a caller can see
// anything. What comes out holds none of it: no canary, no provider's name, no six words of its text in a row.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { FAILURES } from '../../../src/errors/fixtures/all-failures.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { PRESETS } from '../../../src/simulator/scenario/presets.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { textAt, valueAt } from '../admin/admin-rig.ts';
import { CANARIES, canariesIn, leaksIn, plant, type Said, strangeHeaders } from './canaries.ts';
import { startToldUpstream, type ToldUpstream, type Way } from './scripted-upstream.ts';
import { ADMIN_KEY, openSealedRig, type SealedRig, type Seen } from './sealed-rig.ts';

const FIXTURES = Object.values(FAILURES).flat();
const SCRIPT: readonly Said[] = FIXTURES.map(plant);

const ENDPOINTS = {
  anthropic: {
    model: 'claude-sonnet-5-5',
    path: () => '/v1/messages',
    body: { max_tokens: 40, messages: [{ role: 'user', content: 'Hello' }] },
  },
  openai: {
    model: 'gpt-5-mini',
    path: () => '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hello' }] },
  },
  gemini: {
    model: 'gemini-2.5-flash',
    path: (isStream: boolean) =>
      `/v1beta/models/gemini-2.5-flash:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
} as const;

type Format = keyof typeof ENDPOINTS;
const FORMATS: readonly Format[] = ['anthropic', 'openai', 'gemini'];

function ask(
  rig: SealedRig,
  format: Format,
  isStream: boolean,
  extra: object = {},
  onHead: () => void = () => {},
): Promise<Seen> {
  const { model, path, body } = ENDPOINTS[format];
  const named = format === 'gemini' ? {} : { model, ...(isStream && { stream: true }) };
  return rig.call('POST', path(isStream), { ...named, ...body, ...extra }, { onHead });
}

/** What is wrong with the answer to a failure: it is none, or shows what it should not. */
function problemsOf(seen: Seen, label: string, said?: Said): readonly string[] {
  const failure = seen.status === 200 ? errorPart(seen.text) : seen.text;
  if (failure === undefined) return [`${label}: answered as a success: ${seen.text}`];
  const problems = [
    ...(/"(?:code|reason)":"[A-Z_]+"/.test(failure) ? [] : ['our code is missing']),
    ...canariesIn(seen.text),
    ...leaksIn(failure, said),
    ...strangeHeaders(seen.headers),
  ];
  return problems.map((problem) => `${label}: ${problem} in ${failure}`);
}

/** A stream's last event, when it is an error; what came before is content, which may name its model. */
function errorPart(text: string): string | undefined {
  const last =
    text
      .trimEnd()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? '';
  return /^(?:event: error\n)?data: \{.*"error":\{/s.test(last) ? last : undefined;
}

suite('every known failure at the AI endpoints', () => {
  let upstream: ToldUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startToldUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  async function tell(
    format: Format,
    index: number,
    way: Way,
    isStream: boolean,
  ): Promise<string[]> {
    const heard = upstream.heard();
    const plan = `${index}:${way}`;
    const seen = await ask(rig, format, isStream, { plan }, () => upstream.proceed());
    if (/AI_LIMIT_REACHED|RATE_LIMITED/.test(seen.text)) await rig.forgetLimits(format);
    const label = `${FIXTURES[index]?.name}, ${format}, ${way}, ${isStream ? 'streamed' : 'unary'}`;
    const isAsked = upstream.heard() === heard + 1;
    const hasBegun = way !== 'late' || seen.status === 200;
    return [
      ...(isAsked ? [] : [`${label}: the provider was not asked`]),
      ...(hasBegun ? [] : [`${label}: the stream had not begun`]),
      ...problemsOf(seen, label, SCRIPT[index]),
    ];
  }

  const WAYS_TO_FAIL: readonly (readonly [string, Way, boolean])[] = [
    ['unary', 'refuse', false],
    ['streamed, refused before it begins', 'refuse', true],
    ['streamed, failing with its first event', 'first', true],
    ['streamed, failing after content', 'late', true],
  ];

  for (const format of FORMATS) {
    for (const [name, way, isStream] of WAYS_TO_FAIL) {
      test(`${format}: ${name}`, async () => {
        const problems: string[] = [];
        for (const index of SCRIPT.keys())
          problems.push(...(await tell(format, index, way, isStream)));
        assert.deepEqual(problems, []);
      });
    }
  }
});

const FAILING_PRESETS = Object.entries(PRESETS)
  .filter(([, { scenario }]) => 'fault' in scenario && scenario.fault !== 'none')
  .map(([name]) => name)
  .filter((name) => name !== 'wrong-content-type');

suite("every failure of the simulator's", () => {
  let simulator: Simulator;
  let rig: SealedRig;
  before(async () => {
    simulator = await startSimulator({ clock: systemClock });
    rig = await openSealedRig(simulator.url);
  });
  after(async () => {
    await rig.close();
    await simulator.close();
  });

  for (const preset of FAILING_PRESETS) {
    test(preset, async () => {
      simulator.setScenario({ preset, secret: 'sk-canary-provider-key-5f1d' });
      for (const isStream of [false, true]) {
        await Promise.all(
          FORMATS.map(async (format) => {
            const seen = await ask(rig, format, isStream);
            const label = `${preset}, ${format}, ${isStream ? 'streamed' : 'unary'}`;
            if (isGoodAnswer(preset, isStream, seen)) return;
            assert.deepEqual(problemsOf(seen, label), []);
          }),
        );
        await Promise.all(FORMATS.map((format) => rig.forgetLimits(format)));
      }
    });
  }
});

/** Faults of a stream have no meaning for a unary answer, which is then a good one. */
function isGoodAnswer(preset: string, isStream: boolean, { status, text }: Seen): boolean {
  const isOfStreams = /-stream$|early-end|stall|keep-alive/.test(preset);
  return isOfStreams && !isStream && status === 200 && canariesIn(text).length === 0;
}

suite('everything else a caller sees', () => {
  let upstream: ToldUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startToldUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  test('jobs that failed or wait: receipt, view, history, events, list', async () => {
    const problems: string[] = [];
    for (const format of FORMATS) {
      const indices = oneOfEachCode();
      for (const index of indices) {
        const seen = await runJob(format, index);
        for (const [where, each] of Object.entries(seen)) {
          const label = `${FIXTURES[index]?.name}, ${format}, ${where}`;
          const leaks = [...leaksIn(each.text, SCRIPT[index]), ...strangeHeaders(each.headers)];
          problems.push(...leaks.map((leak) => `${label}: ${leak} in ${each.text}`));
        }
        await rig.forgetLimits(format);
      }
    }
    const list = await rig.call('GET', '/v1/jobs?limit=200');
    problems.push(...leaksIn(list.text), ...strangeHeaders(list.headers));
    assert.deepEqual(problems, []);
  });

  test('usage, health, documents, what is not found and what is not valid', async () => {
    const quiet = await Promise.all([
      ...['model', 'key', 'day', 'provider'].map((by) =>
        rig.call('GET', `/v1/usage?groupBy=${by}`),
      ),
      ...['/health', '/health/ready', '/health/live', '/openapi.json', '/'].map((path) =>
        rig.call('GET', path),
      ),
    ]);
    for (const { text, headers } of quiet) {
      assert.deepEqual(canariesIn(text), []);
      assert.deepEqual(canariesIn([...headers].join()), []);
    }
    const refused = await Promise.all([
      rig.call('GET', '/v1/jobs/unknown'),
      rig.call('GET', '/v1/nothing'),
      rig.call('POST', '/v1/jobs', { prompt: 5 }),
      rig.call('GET', '/v1/usage?groupBy=nothing'),
      rig.call('GET', '/%zz'),
      rig.call('GET', '/admin/requests/req_1'),
      rig.call('POST', '/v1/messages', { model: 'no-such-model' }),
      rig.call('POST', '/v1/chat/completions', {}),
      rig.call('POST', '/v1/chat/completions', {}, { key: 'nobody' }),
    ]);
    for (const seen of refused) {
      assert.ok(seen.status >= 400);
      assert.deepEqual(problemsOf(seen, String(seen.status)), []);
    }
  });

  /** Every code that jobs can meet, by its first fixture: what is stored of a failure depends on nothing else. */
  function oneOfEachCode(): readonly number[] {
    const codes = FIXTURES.map(({ code }) => code);
    return [...new Set(codes)].map((code) => codes.indexOf(code));
  }

  async function runJob(format: Format, index: number): Promise<Readonly<Record<string, Seen>>> {
    const { model, body } = ENDPOINTS[format];
    const request = { ...body, plan: `${index}:refuse` };
    const receipt = await rig.call('POST', '/v1/jobs', { model, request, format });
    const self = /"self":"([^"]+)"/.exec(receipt.text)?.[1] ?? '';
    for (;;) {
      const view = await rig.call('GET', self);
      if (!/"code":"[A-Z_]+"/.test(view.text)) continue;
      const events = await rig.call('GET', `${self}/events`);
      const cancelled = await rig.call('DELETE', self);
      return { receipt, view, events, cancelled };
    }
  }
});

suite('those who may know more', () => {
  const index = FIXTURES.findIndex(({ name }) => name === 'Azure: a wrong key');
  let upstream: ToldUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startToldUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  test('an operator finds the raw failure by its request id, without secrets', async () => {
    const seen = await ask(rig, 'anthropic', false, { plan: '0:refuse' });
    const id = seen.headers.get('x-request-id') ?? '';
    const found = await rig.call('GET', `/admin/requests/${id}`, undefined, { key: ADMIN_KEY });
    assert.equal(found.status, 200);
    const record: unknown = JSON.parse(found.text);
    assert.equal(valueAt(record, 'id'), id);
    assert.equal(valueAt(record, 'provider'), 'anthropic');
    assert.equal(valueAt(record, 'error', 'code'), FIXTURES[0]?.code);
    assert.equal(valueAt(record, 'attempts', '0', 'status'), SCRIPT[0]?.status);
    const body = textAt(record, 'attempts', '0', 'raw', 'body');
    assert.ok(body.includes('canary-host'), 'the text itself is there');
    assert.ok(!found.text.includes(CANARIES.providerKey));
  });

  test('a failed run of a job is found by the id of the request that handed it in', async () => {
    const request = { ...ENDPOINTS.openai.body, plan: `${index}:refuse` };
    const model = ENDPOINTS.openai.model;
    const receipt = await rig.call('POST', '/v1/jobs', { model, request, format: 'openai' });
    const path = `/admin/requests/${receipt.headers.get('x-request-id')}`;
    for (;;) {
      const found = await rig.call('GET', path, undefined, { key: ADMIN_KEY });
      if (found.status === 404) continue;
      const record: unknown = JSON.parse(found.text);
      const runId = textAt(record, 'attempts', '0', 'id');
      const byRun = await rig.call('GET', `/admin/requests/${runId}`, undefined, {
        key: ADMIN_KEY,
      });
      assert.equal(byRun.text, found.text);
      assert.ok(!found.text.includes(CANARIES.providerKey));
      return;
    }
  });

  test('a key made with diagnostics sees the raw failure in direct answers, and nowhere else', async () => {
    const made = await rig.call(
      'POST',
      '/admin/orgs/default/keys',
      { name: 'developer', diagnostics: true },
      { key: ADMIN_KEY },
    );
    const key = textAt(JSON.parse(made.text), 'key');
    for (const format of FORMATS) {
      await rig.forgetLimits(format);
      for (const [way, isStream] of [
        ['refuse', false],
        ['late', true],
      ] as const) {
        const { model, path, body } = ENDPOINTS[format];
        const named = format === 'gemini' ? {} : { model, stream: isStream };
        const seen = await rig.call(
          'POST',
          path(isStream),
          { ...named, ...body, plan: `${index}:${way}` },
          { key, onHead: () => upstream.proceed() },
        );
        assert.match(seen.text, /canary-host/, `${format}, ${way}`);
        assert.ok(!seen.text.includes(CANARIES.providerKey), `${format}, ${way}`);
        const id = /req_[0-9a-f]{32}/.exec(seen.text)?.[0];
        const kept = await rig.call('GET', `/admin/requests/${id}`, undefined, { key: ADMIN_KEY });
        assert.equal(valueAt(JSON.parse(kept.text), 'error', 'diagnostics'), undefined);
      }
    }
  });
});
