// Reads a Messages request (and count_tokens, which has the same body without max_tokens). Rejects only the
// requests that the provider rejects: unknown fields pass.

import type { ModelRequest, OfferedTool, ReadResult, ToolChoice } from '../../model-request.ts';
import { reject } from '../../model-request.ts';
import type { JsonRecord } from '../../read-json.ts';
import { asList, asNumber, asRecord, asText, asTexts } from '../../read-json.ts';
import { InputMeter } from '../../tokens.ts';
import { digest } from '../../truth/digest.ts';

export function readMessages(body: JsonRecord): ReadResult {
  if (asNumber(body.max_tokens) === undefined)
    return reject('max_tokens: Field required', 'max_tokens');
  return readCountTokens(body);
}

export function readCountTokens(body: JsonRecord): ReadResult {
  const model = asText(body.model);
  const messages = asList(body.messages).map(asRecord);
  if (model === undefined) return reject('model: Field required', 'model');
  if (messages.length === 0)
    return reject('messages: at least one message is required', 'messages');

  const last = messages.at(-1) ?? {};
  const request: ModelRequest = {
    model,
    isStream: body.stream === true,
    ...measure(body),
    cachesByItself: false,
    prompt: lastBytes(messages),
    maxOutputTokens: asNumber(body.max_tokens),
    tools: asList(body.tools).map(asRecord).flatMap(readTool),
    toolChoice: readToolChoice(asRecord(body.tool_choice)),
    endsWithToolResult: blocks(last.content).some((block) => block.type === 'tool_result'),
    wantsThinking: ['enabled', 'adaptive'].includes(asText(asRecord(body.thinking).type) ?? ''),
    outputSchema: asRecord(asRecord(body.output_config).format).schema,
    stopSequences: asTexts(body.stop_sequences),
    wantsStreamUsage: true,
  };
  return { request };
}

type Measured = Pick<ModelRequest, 'inputTokens' | 'markedTokens' | 'markedPrefix'>;

/** Walks in the provider's cache order: tools, system, messages. */
function measure(body: JsonRecord): Measured {
  const meter = new InputMeter();
  const seen: string[] = [];
  let markedTokens = 0;
  let markedPrefix = '';

  function visit(block: JsonRecord): void {
    measureBlock(meter, block);
    if (hasMarkers) seen.push(JSON.stringify(block));
    if (block.cache_control === undefined || block.cache_control === null) return;
    markedTokens = meter.tokens;
    markedPrefix = digest(seen.join('\n'));
  }

  const hasMarkers = marksCache(body);
  for (const tool of asList(body.tools)) visit(asRecord(tool));
  for (const block of blocks(body.system)) visit(block);
  for (const message of asList(body.messages))
    for (const block of blocks(asRecord(message).content)) visit(block);
  if (body.cache_control) visit({ cache_control: body.cache_control });
  return { inputTokens: meter.tokens, markedTokens, markedPrefix };
}

/** Digesting the prefix costs more than counting it, so only requests with cache markers pay for it. */
function marksCache(body: JsonRecord): boolean {
  if (body.cache_control) return true;
  const parts = [...asList(body.tools), ...blocks(body.system)];
  for (const message of asList(body.messages)) parts.push(...blocks(asRecord(message).content));
  return parts.some((part) => Boolean(asRecord(part).cache_control));
}

function measureBlock(meter: InputMeter, block: JsonRecord): void {
  switch (block.type) {
    case 'text':
      return meter.text(asText(block.text));
    case 'thinking':
      return meter.text(asText(block.thinking));
    case 'image':
    case 'document':
      return meter.attachment();
    case 'tool_use':
      meter.text(asText(block.name));
      return meter.json(block.input);
    case 'tool_result':
      for (const part of blocks(block.content)) measureBlock(meter, part);
      return;
    default:
      meter.text(asText(block.name));
      meter.text(asText(block.description));
      return meter.json(block.input_schema);
  }
}

/** Content may be a plain string or a list of blocks. */
function blocks(content: unknown): readonly JsonRecord[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map(asRecord);
}

function lastBytes(messages: readonly JsonRecord[]): string {
  const spoken = messages.findLast((message) => message.role === 'user');
  const text = blocks(spoken?.content).findLast((block) => block.type === 'text');
  return asText(text?.text) ?? '';
}

function readTool(tool: JsonRecord): readonly OfferedTool[] {
  const name = asText(tool.name);
  return name === undefined || tool.input_schema === undefined
    ? []
    : [{ name, schema: tool.input_schema }];
}

function readToolChoice(choice: JsonRecord): ToolChoice {
  if (choice.type === 'any') return { kind: 'any' };
  if (choice.type === 'none') return { kind: 'none' };
  const name = asText(choice.name);
  return choice.type === 'tool' && name !== undefined ? { kind: 'named', name } : { kind: 'auto' };
}
