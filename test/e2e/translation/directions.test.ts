// Every caller's format with every vendor's model: the vendors' own SDKs hold a conversation with a system prompt, an image
// and a tool, unary and streamed, and the simulator of the other vendor accepts the requests.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const QUESTION = 'Use get_weather for the town in this picture.';
const SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
};

type Vendor = 'anthropic' | 'openai' | 'gemini';
const MODELS: Readonly<Record<Vendor, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
  gemini: 'gemini-2.5-flash',
};
const PATHS: Readonly<Record<Vendor, RegExp>> = {
  anthropic: /^\/v1\/messages$/,
  openai: /^\/v1\/(chat\/completions|responses)$/,
  gemini: /:(stream)?[gG]enerateContent$/,
};

/** Asks, runs the tool that the model calls, and returns the names of the called tools and the last text. */
type Conversation = (
  gateway: TestGateway,
  model: string,
) => Promise<{ readonly called: readonly string[]; readonly text: string }>;

function messages(isStream: boolean): Conversation {
  return async ({ url, apiKey }, model) => {
    const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
    const ask = (turns: Anthropic.MessageParam[]) => {
      const request: Anthropic.MessageCreateParamsNonStreaming = {
        model,
        max_tokens: 200,
        system: 'Be brief.',
        tools: [{ name: 'get_weather', description: 'The weather.', input_schema: SCHEMA }],
        messages: turns,
      };
      return isStream
        ? client.messages.stream(request).finalMessage()
        : client.messages.create(request);
    };
    const question: Anthropic.MessageParam = {
      role: 'user',
      content: [
        { type: 'text', text: QUESTION },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      ],
    };
    const first = await ask([question]);
    assert.equal(first.stop_reason, 'tool_use');
    const calls = first.content.filter((block) => block.type === 'tool_use');
    const results = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'Sunny.',
    }));
    const last = await ask([
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ]);
    assert.equal(last.model, model);
    assert.ok(last.usage.input_tokens > 0 && last.usage.output_tokens > 0);
    const texts = last.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { called: calls.map(({ name }) => name), text: texts.join('') };
  };
}

function chat(isStream: boolean): Conversation {
  return async ({ url, apiKey }, model) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: 'function', function: { name: 'get_weather', parameters: SCHEMA } },
    ];
    const ask = async (turns: OpenAI.ChatCompletionMessageParam[]) => {
      const request = { model, tools, messages: turns };
      return isStream
        ? client.chat.completions
            .stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : client.chat.completions.create(request);
    };
    const question: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: QUESTION },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ];
    const first = await ask(question);
    const message = first.choices[0]?.message;
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls');
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
    const last = await ask([
      ...question,
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'Sunny.' })),
    ]);
    assert.equal(last.model, model);
    assert.ok((last.usage?.prompt_tokens ?? 0) > 0 && (last.usage?.completion_tokens ?? 0) > 0);
    return {
      called: calls.map((call) => call.function.name),
      text: last.choices[0]?.message.content ?? '',
    };
  };
}

function responses(isStream: boolean): Conversation {
  return async ({ url, apiKey }, model) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    const ask = async (input: OpenAI.Responses.ResponseInput) => {
      const request = {
        model,
        store: false,
        instructions: 'Be brief.',
        tools: [
          { type: 'function' as const, strict: false, name: 'get_weather', parameters: SCHEMA },
        ],
        input,
      };
      return isStream
        ? client.responses.stream(request).finalResponse()
        : client.responses.create(request);
    };
    const question: OpenAI.Responses.ResponseInputItem = {
      role: 'user',
      content: [
        { type: 'input_text', text: QUESTION },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
      ],
    };
    const first = await ask([question]);
    assert.equal(first.status, 'completed');
    const calls = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    const last = await ask([
      question,
      ...calls.map(({ call_id, name, arguments: text }) => ({
        type: 'function_call' as const,
        call_id,
        name,
        arguments: text,
      })),
      ...calls.map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: 'Sunny.',
      })),
    ]);
    assert.equal(last.model, model);
    assert.ok((last.usage?.input_tokens ?? 0) > 0 && (last.usage?.output_tokens ?? 0) > 0);
    return { called: calls.map(({ name }) => name), text: last.output_text };
  };
}

function generate(isStream: boolean): Conversation {
  return async ({ url, apiKey }, model) => {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
    const ask = async (contents: object[]) => {
      const request = {
        model,
        contents,
        config: {
          systemInstruction: 'Be brief.',
          tools: [
            { functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }] },
          ],
        },
      };
      if (!isStream) {
        const answer = await models.generateContent(request);
        assert.equal(answer.modelVersion, model);
        assert.ok((answer.usageMetadata?.promptTokenCount ?? 0) > 0);
        return { calls: answer.functionCalls ?? [], text: answer.text ?? '' };
      }
      const pieces = await Array.fromAsync(await models.generateContentStream(request));
      assert.ok((pieces.at(-1)?.usageMetadata?.promptTokenCount ?? 0) > 0);
      return {
        calls: pieces.flatMap((piece) => piece.functionCalls ?? []),
        text: pieces.map((piece) => piece.text ?? '').join(''),
      };
    };
    const question = {
      role: 'user',
      parts: [{ text: QUESTION }, { inlineData: { mimeType: 'image/png', data: PNG } }],
    };
    const { calls } = await ask([question]);
    const last = await ask([
      question,
      { role: 'model', parts: calls.map((functionCall) => ({ functionCall })) },
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({
          functionResponse: { id, name, response: { output: 'Sunny.' } },
        })),
      },
    ]);
    return { called: calls.map(({ name }) => name ?? ''), text: last.text };
  };
}

const FORMATS = { messages, chat, responses, generate };

suite('translation', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  for (const [name, format] of Object.entries(FORMATS))
    for (const vendor of Object.keys(MODELS) as Vendor[])
      for (const isStream of [false, true])
        test(`${name} with a model of ${vendor}, ${isStream ? 'streamed' : 'unary'}`, async () => {
          gateway.simulator.clearLog();
          const { called, text } = await format(isStream)(gateway, MODELS[vendor]);
          assert.deepEqual(called, ['get_weather']);
          assert.ok(text.length > 0);
          const log = gateway.simulator.log();
          assert.deepEqual(
            log.map(({ outcome }) => outcome),
            ['ok', 'ok'],
          );
          for (const { path } of log) assert.match(path, PATHS[vendor]);
        });
});
