import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import type { AttemptCall } from '../../upstream/attempt/attempt-call.ts';
import { matchNativeRoute, type NativeRoute } from '../../upstream/native-route.ts';
import { worstCaseOf } from './charge/worst-case-of.ts';
import { type CallPlan, planCall } from './plan-call.ts';

const providers = [
  {
    name: 'openai',
    format: 'openai',
    baseUrl: 'https://o.example/v1',
    region: 'global',
    accounts: [{ name: 'main', apiKey: 'our-key' }],
    models: ['gpt-*'],
  },
  {
    name: 'anthropic',
    format: 'anthropic',
    baseUrl: 'https://a.example',
    region: 'global',
    accounts: [{ name: 'main', apiKey: 'our-key' }],
    models: ['claude-*'],
  },
  {
    name: 'google',
    format: 'gemini',
    baseUrl: 'https://g.example/proxy/',
    region: 'global',
    accounts: [{ name: 'main', apiKey: 'our-key' }],
    models: ['gemini-*'],
  },
  ...['deepseek.com', 'mistral.ai'].map((host) => ({
    name: host,
    format: 'openai' as const,
    baseUrl: `https://api.${host}`,
    region: 'global',
    accounts: [{ name: 'main', apiKey: 'our-key' }],
    models: [`${host}-*`],
  })),
  {
    name: 'keyless',
    format: 'openai',
    baseUrl: 'https://k.example',
    region: 'global',
    accounts: [],
    models: ['grok-*'],
  },
] as const;
const resolveTargets = createResolveTargets({ providers, aliases: [], loadOf: () => 0 });

function route(url: string): NativeRoute {
  const found = matchNativeRoute(url);
  assert.ok(found);
  return found;
}

function plan(url: string, body: string): CallPlan {
  const parts = { resolveTargets, isReasoning: (model: string) => model === 'gpt-think' };
  return planCall(route(url), {}, Buffer.from(body), parts);
}

function call(url: string, body: string): AttemptCall {
  const planned = plan(url, body);
  const [target] = planned.targets;
  assert.ok(target);
  return planned.callTo(target);
}

test('the body is sent unchanged when the target uses the same model name', () => {
  const body = ' { "model" : "gpt-5", "x": 1.0e5, "y": "\\u00fc" } ';
  const { target, path, body: sent, isStream } = call('/v1/chat/completions', body);
  assert.equal(sent.toString(), body);
  assert.equal(path, '/v1/chat/completions');
  assert.equal(target.origin, 'https://o.example');
  assert.equal(isStream, false);
});

test('a model named provider/model is replaced in the body, and nothing else', () => {
  const { body, target } = call(
    '/v1/chat/completions',
    '{"a":"openai/gpt-5","model": "openai\\/gpt-\\"x" ,"b":1}',
  );
  assert.equal(target.model, 'gpt-"x');
  assert.equal(body.toString(), '{"a":"openai/gpt-5","model": "gpt-\\"x" ,"b":1}');
});

test('streaming and reasoning are detected', () => {
  const streamed = call('/v1/chat/completions', '{"model":"gpt-think","stream":true}');
  assert.equal(streamed.isStream, true);
  assert.equal(streamed.isReasoning, true);
  const text = call('/v1/chat/completions', '{"model":"gpt-5","stream":null}');
  assert.equal(text.isStream, false);
  assert.equal(text.isReasoning, false);
});

test('counting tokens and tiers with capacity of their own are counted apart', () => {
  const chat = (tier: string) => `{"model":"gpt-5","service_tier":"${tier}"}`;
  for (const [url, body, isApart] of [
    ['/v1beta/models/gemini-2.5-pro:countTokens', '{"contents":[]}', true],
    ['/v1/chat/completions', chat('flex'), true],
    ['/v1/chat/completions', chat('priority'), false],
    ['/v1/chat/completions', chat('default'), false],
    ['/v1beta/models/gemini-2.5-pro:generateContent', '{"contents":[]}', false],
  ] as const)
    assert.equal(call(url, body).isCountedApart, isApart, url + body);
});

test("Gemini's model and streaming come from the path, below the provider's base path", () => {
  const url = '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=secret';
  const { path, isStream, body } = call(url, '{"model":"gpt-5","contents":[]}');
  assert.equal(path, '/proxy/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
  assert.equal(isStream, true);
  assert.equal(body.toString(), '{"model":"gpt-5","contents":[]}');
});

test('an endpoint that never streams ignores `stream` in the body', () => {
  const stream = '"stream":true';
  for (const [url, body] of [
    ['/v1/embeddings', `{"model":"gpt-embed",${stream}}`],
    ['/v1beta/models/gemini-2.5-pro:generateContent', `{${stream}}`],
    ['/v1beta/models/gemini-2.5-pro:countTokens', `{${stream}}`],
  ] as const)
    assert.equal(call(url, body).isStream, false, url);
  assert.equal(call('/v1/responses', `{"model":"gpt-5",${stream}}`).isStream, true);
});

test('the model is replaced in every request of an embedding batch', () => {
  const url = '/v1beta/models/google%2Fgemini-embed:batchEmbedContents';
  const { path, body } = call(url, '{"requests":[{"model":"models/google/gemini-embed"}]}');
  assert.equal(path, '/proxy/v1beta/models/gemini-embed:batchEmbedContents');
  assert.equal(body.toString(), '{"requests":[{"model":"models/gemini-embed"}]}');
});

test('a background response is refused', () => {
  assert.throws(() => plan('/v1/responses', '{"model":"gpt-5","background":true}'), {
    code: 'INVALID_REQUEST',
    params: { field: 'background', problem: 'not_supported' },
  });
  assert.ok(plan('/v1/responses', '{"model":"gpt-5","background":false}'));
});

test('an invalid field is refused with its name', () => {
  for (const [body, problem] of [
    ['{}', 'missing'],
    ['{"model":""}', 'missing'],
    ['{"model":5}', 'wrong_type'],
    ['{"model":null}', 'missing'],
    ['{"model":"nobody-knows"}', 'unknown_model'],
    ['{"model":"grok-4"}', 'no_credential'],
    ['{"model":"gemini-2.5-pro"}', 'other_format'],
    ['{"model":"gpt-5","model":"gpt-6"}', 'duplicate_field'],
  ])
    assert.throws(
      () => plan('/v1/chat/completions', body ?? ''),
      (error) => {
        assert.ok(error instanceof SpillwayError);
        assert.equal(error.code, 'INVALID_REQUEST');
        assert.deepEqual([error.params.field, error.params.problem], ['model', problem]);
        return true;
      },
    );
});

test('a body that is not a JSON object is refused', () => {
  for (const body of ['', '[]', '{', '{"model":"gpt-5"', '{"model":"gpt-5"}x'])
    assert.throws(() => plan('/v1/chat/completions', body), { code: 'INVALID_REQUEST' });
});

test('a chat stream asks for its usage, and the event is removed unless the caller asked', () => {
  const own = '{"model":"gpt-5","stream":true,"stream_options":{"include_usage":true}}';
  const asked = call('/v1/chat/completions', own);
  assert.deepEqual([asked.body.toString(), asked.removesUsageEvent], [own, false]);
  const silent = call('/v1/chat/completions', '{"model":"openai/gpt-5","stream":true}');
  assert.deepEqual(
    [silent.body.toString(), silent.removesUsageEvent],
    ['{"stream_options":{"include_usage":true},"model":"gpt-5","stream":true}', true],
  );
  for (const body of ['{"model":"gpt-5"}', '{"model":"gpt-5","stream":false}'])
    assert.equal(call('/v1/chat/completions', body).body.toString(), body);
  const responses = '{"model":"gpt-5","stream":true}';
  assert.equal(call('/v1/responses', responses).body.toString(), responses);
});

test('a name that a provider could read as a known one is refused', () => {
  const refusal = (body: string) => {
    try {
      plan('/v1/chat/completions', body);
    } catch (error) {
      assert.ok(error instanceof SpillwayError && error.code === 'INVALID_REQUEST');
      return [error.params.field, error.params.problem];
    }
    return undefined;
  };
  assert.deepEqual(refusal('{"model":"gpt-5","Max_Tokens":9}'), ['max_tokens', 'not_supported']);
  assert.deepEqual(refusal('{"model":"gpt-5","n":1,"\\u006e":9}'), ['n', 'duplicate_field']);
  assert.deepEqual(refusal('{"model":"gpt-5","messages":[{"FILE_ID":"x"}]}'), [
    'file_id',
    'not_supported',
  ]);
  assert.equal(refusal('{"model":"gpt-5","unknown":{"Model":1},"metadata":{}}'), undefined);
});

test('a request reserves the context window for each use of any of its tools', () => {
  const windowsAt = (path: string, body: object) => {
    const planned = plan(path, JSON.stringify(body));
    const [target] = planned.targets;
    assert.ok(target);
    return (worstCaseOf(planned, target, () => 1000).referredTokens ?? 0) / 1000;
  };
  const windows = (fields: object) => windowsAt('/v1/responses', { model: 'gpt-5', ...fields });
  const claude = (...tools: readonly object[]) =>
    windowsAt('/v1/messages', { model: 'claude-x', messages: [], tools });
  const once = { type: 'web_search', max_uses: 1 };
  const twice = { type: 'web_fetch', max_uses: 2 };
  const open = { type: 'mcp' };
  assert.equal(windows({}), 0);
  assert.equal(claude(once), 1);
  assert.equal(claude(once, twice), 3);
  assert.equal(windows({ tools: [open, { type: 'web_search' }] }), 10);
  assert.equal(claude({ type: 'mcp_toolset' }, twice), 12);
  assert.equal(windows({ tools: [open, { type: 'web_search' }], max_tool_calls: 3 }), 3);
  // OpenAI's tools have no maximum of their own.
  assert.equal(windows({ tools: [once] }), 10);
  const search = { tools: [{ type: 'web_search' }], max_tool_calls: 1 };
  assert.equal(windows({ ...search, previous_response_id: 'resp_1' }), 2);
  assert.equal(windows({ input: [{ type: 'item_reference', id: 'msg_1' }] }), 1);
  assert.equal(windows({ model: 'gpt-4o-search-preview' }), 1);
  const seen = [{ content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] }];
  assert.equal(windows({ ...search, input: seen }), 1 + 6);
});

test('a provider that knows the older maximum alone reserves its own where the request states the newer one', () => {
  const maximum = (model: string, fields: object) => {
    const planned = plan('/v1/chat/completions', JSON.stringify({ model, ...fields }));
    const [target] = planned.targets;
    assert.ok(target);
    return worstCaseOf(planned, target, () => 1000).maxOutputTokens;
  };
  const [newer, older] = [{ max_completion_tokens: 5 }, { max_tokens: 7 }];
  assert.equal(maximum('gpt-5', newer), 5);
  assert.equal(maximum('deepseek.com-chat', newer), undefined);
  assert.equal(maximum('deepseek.com-chat', older), 7);
  assert.equal(maximum('deepseek.com-chat', { ...newer, ...older }), 7);
  assert.equal(maximum('deepseek.com-chat', { ...newer, max_tokens: 0 }), undefined);
});

test('a context that the provider may compact reserves a summary, written and read', () => {
  const most = (fields: object) => {
    const planned = plan('/v1/responses', JSON.stringify({ model: 'gpt-5', ...fields }));
    const [target] = planned.targets;
    assert.ok(target);
    return worstCaseOf(planned, target, () => 1000);
  };
  const compacting = most({ context_management: [{ type: 'compaction' }] });
  assert.deepEqual([compacting.referredTokens, compacting.predictedTokens], [20_000, 20_000]);
  assert.equal(most({ context_management: [] }).referredTokens, 0);
});

test('the usage of a stream is asked for, except at Mistral, which refuses the option and reports it anyway', () => {
  const sent = (model: string) => {
    const { body, removesUsageEvent } = call(
      '/v1/chat/completions',
      `{"model":"${model}","stream":true}`,
    );
    return [body.includes('include_usage'), removesUsageEvent];
  };
  assert.deepEqual(sent('gpt-5'), [true, true]);
  assert.deepEqual(sent('mistral.ai-large'), [false, false]);
});

test('each search of several lets the context grow by its results, at most to the window', () => {
  const rounds = (fields: object, window = 1_000_000) => {
    const body = JSON.stringify({ model: 'gpt-5', ...fields });
    const planned = plan('/v1/responses', body);
    const [target] = planned.targets;
    assert.ok(target);
    const { referredTokens = 0 } = worstCaseOf(planned, target, () => window);
    return { referredTokens, bytes: body.length };
  };
  const search = { type: 'file_search' };
  const open = rounds({ tools: [search] });
  // The first fills the window, the others have 2, 3 … 10 results.
  assert.equal(open.referredTokens, 1_000_000 + 54 * 32_000 + 9 * open.bytes);
  const three = rounds({ tools: [search], max_tool_calls: 3 });
  assert.equal(three.referredTokens, 1_000_000 + 5 * 32_000 + 2 * three.bytes);
  assert.equal(rounds({ tools: [search], max_tool_calls: 1 }).referredTokens, 1_000_000);
  assert.equal(rounds({ tools: [search] }, 60_000).referredTokens, 600_000);
  const mixed = rounds({ tools: [search, { type: 'mcp' }] });
  assert.equal(mixed.referredTokens, 10_000_000);
  const endless = rounds({ tools: [search], max_tool_calls: 1e9 });
  assert.ok(endless.referredTokens > 999_000_000 * 1_000_000);
});

test("a web search of OpenAI reads at most the window of its searches, and Gemini's code at most the largest answer", () => {
  const added = (url: string, body: string) => {
    const planned = plan(url, body);
    const [target] = planned.targets;
    assert.ok(target);
    const { referredTokens = 0 } = worstCaseOf(planned, target, () => 1_000_000);
    return { referredTokens, bytes: body.length };
  };
  const searching = (maxToolCalls: number, input: string) => {
    const limited = { tools: [{ type: 'web_search' }], max_tool_calls: maxToolCalls };
    return added('/v1/responses', JSON.stringify({ model: 'gpt-5', input, ...limited }));
  };
  const one = searching(1, 'Hi');
  assert.equal(one.referredTokens, one.bytes + 128_000);
  const long = searching(6, '~'.repeat(500_000));
  assert.equal(long.referredTokens, 6 * long.bytes + (128 + 64 + 96 + 3 * 128) * 1000);
  assert.equal(
    searching(2, '~'.repeat(900_000)).referredTokens,
    1_000_000 + searching(2, '~'.repeat(900_000)).bytes + 64_000,
  );
  const google = '/v1beta/models/gemini-2.5-pro:generateContent';
  const code = added(google, '{"contents":[],"tools":[{"codeExecution":{}}]}');
  assert.equal(code.referredTokens, 10 * (code.bytes + 65_536));
  const pages = added(google, '{"contents":[],"tools":[{"codeExecution":{},"urlContext":{}}]}');
  assert.equal(pages.referredTokens, 10 * 1_000_000);
});

test('the uses of tools are bounded in a response that does not bound them itself', () => {
  const limited = (body: string) => {
    const planned = plan('/v1/responses', body);
    const [target] = planned.targets;
    assert.ok(target);
    return planned.canLimitTools && planned.callTo(target, undefined, 3).body.toString();
  };
  const rest = '"model":"gpt-5","tools":[{"type":"web_search"}]';
  assert.equal(limited(` { ${rest}}`), ` {"max_tool_calls":3, ${rest}}`);
  assert.equal(limited(`{${rest},"max_tool_calls":null}`), `{${rest},"max_tool_calls":3}`);
  // 0 is not stated.
  assert.equal(limited(`{${rest},"max_tool_calls":0}`), `{${rest},"max_tool_calls":3}`);
  for (const stated of [5, '"5"'])
    assert.equal(limited(`{${rest},"max_tool_calls":${stated}}`), false);
  assert.equal(limited('{"model":"gpt-5","tools":[{"type":"function","name":"f"}]}'), false);
  assert.equal(plan('/v1/chat/completions', `{${rest}}`).canLimitTools, false);
});
