// One conversation per wire format, led by the vendor's own SDK: a system prompt, an image, a tool that the model calls, its
// result, and a third turn. The SDK's parsers and accumulators judge the answers.

import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { DialectName } from '../../../src/translation/neutral-request.ts';
import type { SdkAddress } from '../../support/gateway/sdk-clients.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const QUESTION = 'Use get_weather for the town in this picture.';
const THANKS = 'Thank you.';
const SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
};

/** Asks, runs the tool that the model calls, and returns the names of the called tools and the last text. */
export type Conversation = (
  gateway: SdkAddress,
  model: string,
) => Promise<{
  readonly called: readonly string[];
  readonly text: string;
  /** The model's name as the answer states it. */
  readonly model: string | undefined;
}>;

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
    const turns: Anthropic.MessageParam[] = [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ];
    const second = await ask(turns);
    const last = await ask([
      ...turns,
      { role: 'assistant', content: second.content },
      { role: 'user', content: THANKS },
    ]);
    assert.ok(last.usage.input_tokens > 0 && last.usage.output_tokens > 0);
    const texts = last.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return { called: calls.map(({ name }) => name), text: texts.join(''), model: last.model };
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
    const turns: OpenAI.ChatCompletionMessageParam[] = [
      ...question,
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'Sunny.' })),
    ];
    const second = await ask(turns);
    const said = second.choices[0]?.message.content ?? '';
    const last = await ask([
      ...turns,
      { role: 'assistant', content: said },
      { role: 'user', content: THANKS },
    ]);
    assert.ok((last.usage?.prompt_tokens ?? 0) > 0 && (last.usage?.completion_tokens ?? 0) > 0);
    return {
      called: calls.map((call) => call.function.name),
      text: last.choices[0]?.message.content ?? '',
      model: last.model,
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
    const turns: OpenAI.Responses.ResponseInput = [
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
    ];
    const second = await ask(turns);
    const said = second.output.flatMap((item) => (item.type === 'message' ? [item] : []));
    const last = await ask([...turns, ...said, { role: 'user', content: THANKS }]);
    assert.ok((last.usage?.input_tokens ?? 0) > 0 && (last.usage?.output_tokens ?? 0) > 0);
    return { called: calls.map(({ name }) => name), text: last.output_text, model: last.model };
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
        assert.ok((answer.usageMetadata?.promptTokenCount ?? 0) > 0);
        const { modelVersion } = answer;
        return { calls: answer.functionCalls ?? [], text: answer.text ?? '', modelVersion };
      }
      const pieces = await Array.fromAsync(await models.generateContentStream(request));
      assert.ok((pieces.at(-1)?.usageMetadata?.promptTokenCount ?? 0) > 0);
      return {
        calls: pieces.flatMap((piece) => piece.functionCalls ?? []),
        text: pieces.map((piece) => piece.text ?? '').join(''),
        modelVersion: pieces.at(-1)?.modelVersion,
      };
    };
    const question = {
      role: 'user',
      parts: [{ text: QUESTION }, { inlineData: { mimeType: 'image/png', data: PNG } }],
    };
    const { calls } = await ask([question]);
    const turns = [
      question,
      { role: 'model', parts: calls.map((functionCall) => ({ functionCall })) },
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({
          functionResponse: { id, name, response: { output: 'Sunny.' } },
        })),
      },
    ];
    const second = await ask(turns);
    const last = await ask([
      ...turns,
      { role: 'model', parts: [{ text: second.text }] },
      { role: 'user', parts: [{ text: THANKS }] },
    ]);
    return {
      called: calls.map(({ name }) => name ?? ''),
      text: last.text,
      model: last.modelVersion,
    };
  };
}

/** The official SDK of each format; `isStream` selects its streaming method. */
export const CONVERSATIONS: Readonly<Record<DialectName, (isStream: boolean) => Conversation>> = {
  messages,
  chat,
  responses,
  generate,
};
