import assert from 'node:assert/strict';
import test from 'node:test';
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { systemClock } from '../../../kernel/clock.ts';
import { startSimulator } from '../../simulator.ts';
import { tokensOfText } from '../../tokens.ts';

const simulator = await startSimulator({ clock: systemClock });
const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: simulator.url } });
test.after(() => simulator.close());
test.beforeEach(() => simulator.resetScenario());

const PROMPT = 'What is a spillway for?';
const BASE = { model: 'gemini-2.5-flash', contents: PROMPT };

async function collect(
  stream: AsyncIterable<{ readonly text: string | undefined }>,
): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.text ?? '';
  return text;
}

test('the Gemini SDK gets the same answer unary and streamed', async () => {
  const whole = await client.models.generateContent(BASE);
  const streamed = await collect(await client.models.generateContentStream(BASE));
  assert.match(whole.text ?? '', /spillway/);
  assert.equal(streamed, whole.text);
  assert.equal(whole.candidates?.[0]?.finishReason, 'STOP');
  assert.equal(whole.usageMetadata?.promptTokenCount, tokensOfText(PROMPT));
  assert.equal(whole.usageMetadata?.candidatesTokenCount, tokensOfText(whole.text ?? ''));
});

test('without alt=sse a stream is one JSON list', async () => {
  const url = `${simulator.url}/v1beta/models/gemini-x:streamGenerateContent?key=secret-key`;
  const body = JSON.stringify({ contents: [{ parts: [{ text: PROMPT }] }] });
  const response = await fetch(url, { method: 'POST', body });
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const list: unknown = await response.json();
  assert.ok(Array.isArray(list) && list.length > 3);
  const entry = simulator.log().at(-1);
  assert.equal(entry?.stream, true);
  assert.ok(!JSON.stringify(simulator.log()).includes('secret-key'));
});

test('a forced function is called with arguments that fit, unary and streamed', async () => {
  const config = {
    tools: [
      {
        functionDeclarations: [
          {
            name: 'count',
            parametersJsonSchema: { type: 'object', properties: { n: { type: 'integer' } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
  };
  const whole = await client.models.generateContent({ ...BASE, config });
  assert.deepEqual(
    whole.functionCalls?.map(({ name, args }) => ({ name, args })),
    [{ name: 'count', args: { n: 1 } }],
  );
  const calls: (string | undefined)[] = [];
  for await (const chunk of await client.models.generateContentStream({ ...BASE, config }))
    for (const call of chunk.functionCalls ?? []) calls.push(call.name);
  assert.deepEqual(calls, ['count']);
});

test('thoughts are sent on request and counted separately', async () => {
  const config = { thinkingConfig: { includeThoughts: true } };
  const whole = await client.models.generateContent({ ...BASE, config });
  const [thought] = whole.candidates?.[0]?.content?.parts ?? [];
  assert.equal(thought?.thought, true);
  const {
    promptTokenCount = 0,
    candidatesTokenCount = 0,
    thoughtsTokenCount = 0,
    totalTokenCount,
  } = whole.usageMetadata ?? {};
  assert.ok(thoughtsTokenCount > 0);
  assert.equal(totalTokenCount, promptTokenCount + candidatesTokenCount + thoughtsTokenCount);
});

test('output stops at the maximum, and JSON fits its schema', async () => {
  const short = await client.models.generateContent({ ...BASE, config: { maxOutputTokens: 3 } });
  assert.equal(short.candidates?.[0]?.finishReason, 'MAX_TOKENS');
  assert.equal(short.usageMetadata?.candidatesTokenCount, 3);
  const config = {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
  };
  const json = await client.models.generateContent({ ...BASE, config });
  assert.deepEqual(JSON.parse(json.text ?? ''), { ok: true });
});

test('rejected content is a 200 without content, unary and streamed', async () => {
  simulator.setScenario({ preset: 'refusal' });
  const whole = await client.models.generateContent(BASE);
  assert.equal(whole.candidates?.[0]?.finishReason, 'SAFETY');
  assert.equal(whole.text, undefined);
  simulator.setScenario({ preset: 'content-policy' });
  const blocked = await client.models.generateContent(BASE);
  assert.equal(blocked.promptFeedback?.blockReason, 'PROHIBITED_CONTENT');
  for await (const chunk of await client.models.generateContentStream(BASE))
    assert.equal(chunk.promptFeedback?.blockReason, 'PROHIBITED_CONTENT');
});

test('tokens are counted and models are listed', async () => {
  const count = await client.models.countTokens(BASE);
  assert.equal(count.totalTokens, tokensOfText(PROMPT));
  const models = await client.models.list();
  assert.ok(models.page.some((model) => model.name === 'models/gemini-2.5-pro'));
});
