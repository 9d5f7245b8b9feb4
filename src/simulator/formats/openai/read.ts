// Reads a Chat Completions or a Responses request. Rejects only the requests that the provider rejects:
// unknown fields pass.

import type { ModelRequest, OfferedTool, ReadResult, ToolChoice } from '../../model-request.ts';
import { reject } from '../../model-request.ts';
import type { JsonRecord } from '../../read-json.ts';
import { asList, asNumber, asRecord, asText, asTexts, isRecord } from '../../read-json.ts';
import { InputMeter } from '../../tokens.ts';

export function readChatCompletion(body: JsonRecord): ReadResult {
  const model = asText(body.model);
  const messages = asList(body.messages).map(asRecord);
  if (model === undefined) return reject('you must provide a model parameter', 'model');
  if (messages.length === 0)
    return reject(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
    );
  return {
    request: {
      ...shared(body, model),
      inputTokens: measure(messages, body.tools),
      prompt: lastBytes(messages),
      maxOutputTokens: asNumber(body.max_completion_tokens) ?? asNumber(body.max_tokens),
      endsWithToolResult: messages.at(-1)?.role === 'tool',
      wantsThinking: isReasoning(body.reasoning_effort),
      outputSchema: readSchema(asRecord(body.response_format), 'json_schema'),
      stopSequences: asTexts(body.stop),
      wantsStreamUsage: asRecord(body.stream_options).include_usage === true,
    },
  };
}

/** The Agents SDK names the last response in place of its input. */
export function readCompaction(body: JsonRecord): ReadResult {
  const isStored = body.input === undefined && asText(body.previous_response_id) !== undefined;
  return readResponses(isStored ? { ...body, input: 'the stored conversation' } : body);
}

export function readResponses(body: JsonRecord): ReadResult {
  const model = asText(body.model);
  if (model === undefined) return reject("Missing required parameter: 'model'.", 'model');
  const input = body.input;
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : asList(input).map(asRecord);
  if (items.length === 0) return reject("Missing required parameter: 'input'.", 'input');
  const instructions = { role: 'system', content: body.instructions };
  return {
    request: {
      ...shared(body, model),
      inputTokens: measure([instructions, ...items], body.tools),
      prompt: lastBytes(items),
      maxOutputTokens: asNumber(body.max_output_tokens),
      endsWithToolResult: items.at(-1)?.type === 'function_call_output',
      wantsThinking: isRecord(body.reasoning) && isReasoning(body.reasoning.effort ?? 'medium'),
      outputSchema: readSchema(asRecord(asRecord(body.text).format), undefined),
      stopSequences: [],
      wantsStreamUsage: true,
    },
  };
}

type Shared = Pick<
  ModelRequest,
  'model' | 'isStream' | 'markedTokens' | 'markedPrefix' | 'cachesByItself' | 'tools' | 'toolChoice'
>;

function shared(body: JsonRecord, model: string): Shared {
  return {
    model,
    isStream: body.stream === true,
    markedTokens: 0,
    markedPrefix: '',
    cachesByItself: true,
    tools: asList(body.tools).map(asRecord).flatMap(readTool),
    toolChoice: readToolChoice(body.tool_choice),
  };
}

function measure(messages: readonly JsonRecord[], tools: unknown): number {
  const meter = new InputMeter();
  for (const message of messages) {
    measureContent(meter, message.content);
    measureContent(meter, message.output);
    meter.text(asText(message.arguments));
    for (const call of asList(message.tool_calls)) {
      const called = asRecord(asRecord(call).function);
      meter.text(asText(called.name));
      meter.text(asText(called.arguments));
    }
  }
  meter.json(tools);
  return meter.tokens;
}

function measureContent(meter: InputMeter, content: unknown): void {
  if (typeof content === 'string') return meter.text(content);
  for (const part of asList(content).map(asRecord)) {
    const text = asText(part.text);
    if (text === undefined) meter.attachment();
    else meter.text(text);
  }
}

function lastBytes(messages: readonly JsonRecord[]): string {
  const content = messages.findLast((message) => message.role === 'user')?.content;
  if (typeof content === 'string') return content;
  const part = asList(content)
    .map(asRecord)
    .findLast((candidate) => typeof candidate.text === 'string');
  return asText(part?.text) ?? '';
}

/** Chat Completions nests the function, Responses does not. */
function readTool(tool: JsonRecord): readonly OfferedTool[] {
  if (tool.type !== 'function') return [];
  const definition = isRecord(tool.function) ? tool.function : tool;
  const name = asText(definition.name);
  return name === undefined ? [] : [{ name, schema: definition.parameters ?? { type: 'object' } }];
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'required') return { kind: 'any' };
  if (choice === 'none') return { kind: 'none' };
  const named = asRecord(choice);
  const name = asText(asRecord(named.function).name) ?? asText(named.name);
  return name === undefined ? { kind: 'auto' } : { kind: 'named', name };
}

function isReasoning(effort: unknown): boolean {
  return typeof effort === 'string' && effort !== 'none';
}

/** `json_object` requests any object, `json_schema` a fitting object. */
function readSchema(format: JsonRecord, wrapper: string | undefined): unknown {
  if (format.type === 'json_object') return { type: 'object' };
  if (format.type !== 'json_schema') return undefined;
  return wrapper === undefined ? format.schema : asRecord(format[wrapper]).schema;
}
