// The sealed boundary: every known failure, with secrets planted in all parts, through every interface a
// caller has. No answer contains a canary, a provider's name, or six consecutive words of its text.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { PRESETS } from '../../../src/simulator/scenario/presets.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { canariesIn, leaksIn, type PlantedResponse, strangeHeaders } from './canaries.ts';
import { callThrough, ENDPOINTS, FIXTURES, FORMATS, type Format, SCRIPT } from './failing-calls.ts';
import { type ScriptedUpstream, startScriptedUpstream, type Way } from './scripted-upstream.ts';
import { type CallerAnswer, openSealedRig, type SealedRig } from './sealed-rig.ts';

/** Defects of an error answer: it is not an error, or it leaks. */
function problemsOf(
  seen: CallerAnswer,
  label: string,
  planted?: PlantedResponse,
): readonly string[] {
  const failure = withoutModel(seen.status === 200 ? errorPart(seen.text) : seen.text);
  if (failure === undefined) return [`${label}: answered as a success: ${seen.text}`];
  const problems = [
    ...(/"(?:spillway_code|code|reason)":"[A-Z_]+"/.test(failure)
      ? []
      : ['the Spillway code is missing']),
    ...canariesIn(seen.text),
    ...leaksIn(failure, planted),
    ...strangeHeaders(seen.headers),
  ];
  return problems.map((problem) => `${label}: ${problem} in ${failure}`);
}

/** An answer about an unknown model repeats the caller's own name for it. */
function withoutModel(failure: string | undefined): string | undefined {
  return Object.values(ENDPOINTS).reduce(
    (text, { model }) =>
      text?.replaceAll(`The model ${model} `, '').replaceAll(`"model":"${model}"`, ''),
    failure,
  );
}

/** A stream's last event, if it is an error; earlier events are content, which may name the model. */
function errorPart(text: string): string | undefined {
  const last =
    text
      .trimEnd()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? '';
  return /^(?:event: error\n)?data: \{.*"error":\{/s.test(last) ? last : undefined;
}

suite('every known failure at the AI endpoints', () => {
  let upstream: ScriptedUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startScriptedUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  async function problemsWith(
    format: Format,
    index: number,
    way: Way,
    isStream: boolean,
  ): Promise<string[]> {
    const requestCount = upstream.requestCount();
    const plan = `${index}:${way}`;
    const seen = await callThrough(rig, format, isStream, { plan }, () => upstream.proceed());
    if (/AI_LIMIT_REACHED|RATE_LIMITED/.test(seen.text)) await rig.forgetLimits(format);
    const label = `${FIXTURES[index]?.name}, ${format}, ${way}, ${isStream ? 'streamed' : 'unary'}`;
    const isAsked = upstream.requestCount() === requestCount + 1;
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
          problems.push(...(await problemsWith(format, index, way, isStream)));
        assert.deepEqual(problems, []);
      });
    }
  }
});

const FAILING_PRESETS = Object.entries(PRESETS)
  .filter(([, { scenario }]) => 'fault' in scenario && scenario.fault !== 'none')
  .map(([name]) => name)
  .filter((name) => name !== 'wrong-content-type');

suite('every failure of the simulator', () => {
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
            const seen = await callThrough(rig, format, isStream);
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

/** Stream faults do not apply to a unary answer, which is then a success. */
function isGoodAnswer(preset: string, isStream: boolean, { status, text }: CallerAnswer): boolean {
  const isOfStreams = /-stream$|early-end|stall|keep-alive/.test(preset);
  return isOfStreams && !isStream && status === 200 && canariesIn(text).length === 0;
}

suite('all other responses to a caller', () => {
  let upstream: ScriptedUpstream;
  let rig: SealedRig;
  before(async () => {
    upstream = await startScriptedUpstream(SCRIPT);
    rig = await openSealedRig(upstream.url);
  });
  after(async () => {
    await rig.close();
    await upstream.close();
  });

  test('failed and waiting jobs: receipt, view, history, events, list', async () => {
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

  test('usage, health, documents, 404 and validation errors', async () => {
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

  /** One fixture per code that a job can fail with: a stored failure depends only on its code. */
  function oneOfEachCode(): readonly number[] {
    const codes = FIXTURES.map(({ code }) => code);
    return [...new Set(codes)].map((code) => codes.indexOf(code));
  }

  async function runJob(
    format: Format,
    index: number,
  ): Promise<Readonly<Record<string, CallerAnswer>>> {
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
