// Reads a generateContent or countTokens request. The model and the streaming flag come from the path.
// Snake-case names are accepted, as in the REST interface.

import type { ModelRequest, OfferedTool, ReadResult, ToolChoice } from '../../model-request.ts';
import { reject } from '../../model-request.ts';
import type { JsonRecord } from '../../read-json.ts';
import { asList, asNumber, asRecord, asText, asTexts, isRecord } from '../../read-json.ts';
import { InputMeter } from '../../tokens.ts';

export function readGenerateContent(
  body: JsonRecord,
  model: string,
  isStream: boolean,
): ReadResult {
  const source = isRecord(body.generateContentRequest) ? body.generateContentRequest : body;
  const contents = asList(source.contents).map(asRecord);
  if (contents.length === 0)
    return reject('* GenerateContentRequest.contents: contents is not specified', 'contents');
  const config = either(source, 'generationConfig', 'generation_config');
  const thinking = either(config, 'thinkingConfig', 'thinking_config');
  const request: ModelRequest = {
    model,
    isStream,
    inputTokens: measure(source, contents),
    markedTokens: 0,
    markedPrefix: '',
    cachesByItself: true,
    prompt: lastBytes(contents),
    maxOutputTokens: asNumber(config.maxOutputTokens ?? config.max_output_tokens),
    tools: asList(source.tools).map(asRecord).flatMap(readTools),
    toolChoice: readToolChoice(either(source, 'toolConfig', 'tool_config')),
    endsWithToolResult: parts(contents.at(-1)).some((part) => isRecord(part.functionResponse)),
    wantsThinking: (thinking.includeThoughts ?? thinking.include_thoughts) === true,
    outputSchema: readSchema(config),
    stopSequences: asTexts(config.stopSequences),
    wantsStreamUsage: true,
  };
  return { request };
}

function either(record: JsonRecord, camel: string, snake: string): JsonRecord {
  return asRecord(record[camel] ?? record[snake]);
}

function measure(body: JsonRecord, contents: readonly JsonRecord[]): number {
  const meter = new InputMeter();
  const system = either(body, 'systemInstruction', 'system_instruction');
  for (const part of [system, ...contents].flatMap(parts)) {
    const text = asText(part.text);
    if (text !== undefined) meter.text(text);
    else if (isRecord(part.functionCall)) meter.json(part.functionCall);
    else if (isRecord(part.functionResponse)) meter.json(part.functionResponse);
    else meter.attachment();
  }
  meter.json(body.tools);
  return meter.tokens;
}

function parts(content: JsonRecord | undefined): readonly JsonRecord[] {
  const list = content?.parts;
  return (Array.isArray(list) ? list : list === undefined ? [] : [list]).map(asRecord);
}

function lastBytes(contents: readonly JsonRecord[]): string {
  const spoken = contents.findLast(
    (content) => content.role === undefined || content.role === 'user',
  );
  return asText(parts(spoken).findLast((part) => typeof part.text === 'string')?.text) ?? '';
}

function readTools(tool: JsonRecord): readonly OfferedTool[] {
  const declarations = asList(tool.functionDeclarations ?? tool.function_declarations);
  return declarations.map(asRecord).flatMap((declaration) => {
    const name = asText(declaration.name);
    const schema = declaration.parametersJsonSchema ?? declaration.parameters ?? { type: 'object' };
    return name === undefined ? [] : [{ name, schema }];
  });
}

function readToolChoice(config: JsonRecord): ToolChoice {
  const calling = either(config, 'functionCallingConfig', 'function_calling_config');
  if (calling.mode === 'NONE') return { kind: 'none' };
  if (calling.mode !== 'ANY') return { kind: 'auto' };
  const [name] = asTexts(calling.allowedFunctionNames ?? calling.allowed_function_names);
  return name === undefined ? { kind: 'any' } : { kind: 'named', name };
}

function readSchema(config: JsonRecord): unknown {
  const mimeType = config.responseMimeType ?? config.response_mime_type;
  if (mimeType !== 'application/json') return undefined;
  return config.responseJsonSchema ?? config.responseSchema ?? { type: 'object' };
}
