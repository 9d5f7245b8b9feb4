// Gemini's generateContent request → the neutral form. Google's parser accepts the snake_case names of its protocol
// definitions too, so names are brought to camelCase first, except within schemas and arguments. Function calls may lack
// ids: they get one from their position, and responses are matched to them by name and order.

import { type RequestTerms, TranslationProblem } from '../dialect.ts';
import { Fields, isObject } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { isOwnWord } from '../model-words.ts';
import type {
  MediaPart,
  NeutralRequest,
  TextPart,
  ToolChoice,
  ToolDefinition,
  Turn,
  TurnPart,
} from '../neutral-request.ts';
import { CallIds } from './call-ids.ts';
import { camelCase } from './camel-case.ts';
import { readGenerationConfig } from './generation-config.ts';
import { toJsonSchema } from './schema.ts';
import { joinThoughts, thoughtOf } from './thought-signatures.ts';

export function readGenerateRequest(
  body: Record<string, unknown>,
  { model, isStream }: RequestTerms,
  losses: Losses,
): NeutralRequest {
  const fields = new Fields(camelCase(body));
  fields.skip('model', 'labels');
  const calls = new CallIds();
  const system = fields.object('systemInstruction');
  const config = readGenerationConfig(fields.object('generationConfig'), losses);
  const toolConfig = fields.object('toolConfig');
  const choice = toolConfig?.object('functionCallingConfig');
  toolConfig?.dropRest(losses);
  const request: NeutralRequest = {
    model,
    isStream,
    system: system?.objects('parts').map((part) => readText(part)) ?? [],
    turns: fields.objects('contents').map((content) => readTurn(content, calls, losses)),
    tools: fields.objects('tools').flatMap((tool) => readTools(tool, losses)),
    toolChoice: choice && readToolChoice(choice, losses),
    allowsParallelCalls: undefined,
    ...config,
  };
  dropSafety(fields, losses);
  fields.dropRest(losses);
  return request;
}

/** Settings that block nothing request every other vendor's default. */
function dropSafety(fields: Fields, losses: Losses): void {
  for (const setting of fields.objects('safetySettings')) {
    const threshold = setting.text('threshold');
    if (threshold !== undefined && !NOT_BLOCKING.has(threshold))
      losses.drop(setting.path('threshold'));
  }
}

const NOT_BLOCKING: ReadonlySet<string> = new Set([
  'BLOCK_NONE',
  'OFF',
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
]);

function readText(part: Fields): TextPart {
  return { kind: 'text', text: part.needText('text') };
}

function readTurn(content: Fields, calls: CallIds, losses: Losses): Turn {
  const role = content.text('role') ?? 'user';
  if (role !== 'user' && role !== 'model' && role !== 'function')
    throw new TranslationProblem(content.path('role'), 'is neither user nor model');
  const read = content
    .objects('parts')
    .flatMap((part) => readPart(part, role === 'model', calls, losses));
  const parts = joinThoughts(read);
  return content.done(losses, { role: role === 'model' ? 'assistant' : 'user', parts });
}

function readPart(
  part: Fields,
  isModel: boolean,
  calls: CallIds,
  losses: Losses,
): readonly TurnPart[] {
  const data = part.text('thoughtSignature');
  if (part.flag('thought') === true)
    return part.done(losses, thoughtOf(part.text('text') ?? '', data));
  const read = readVisible(part, calls, losses);
  const visible = isModel && read && !isOwnWord(read, part, losses) ? undefined : read;
  return part.done(losses, [...thoughtOf('', data), ...(visible ? [visible] : [])]);
}

function readVisible(part: Fields, calls: CallIds, losses: Losses): TurnPart | undefined {
  const text = part.text('text');
  const inline = part.object('inlineData');
  const file = part.object('fileData');
  const call = part.object('functionCall');
  const response = part.object('functionResponse');
  if (call) return readCall(call, calls, losses);
  if (response) return readResponse(response, calls, losses);
  if (inline) return readInline(inline, losses);
  if (file) return readFile(file, losses);
  return text ? { kind: 'text', text } : undefined;
}

function readInline(inline: Fields, losses: Losses): MediaPart | undefined {
  const mediaType = inline.needText('mimeType');
  const source = { kind: 'base64' as const, mediaType, data: inline.needText('data') };
  const name = inline.text('displayName');
  const kind = kindOf(mediaType, inline, losses);
  return inline.done(losses, kind && { kind, source, name });
}

/** A file stored at Google exists only there; a public URL is readable by every vendor. */
function readFile(file: Fields, losses: Losses): MediaPart | undefined {
  const mediaType = file.text('mimeType');
  const url = file.needText('fileUri');
  if (!url.startsWith('https://') || url.startsWith('https://generativelanguage.googleapis.com/')) {
    losses.drop(file.path('fileUri'));
    return undefined;
  }
  const kind = kindOf(mediaType ?? 'image/', file, losses);
  const name = file.text('displayName');
  return file.done(losses, kind && { kind, source: { kind: 'url', url, mediaType }, name });
}

function kindOf(mediaType: string, fields: Fields, losses: Losses): MediaPart['kind'] | undefined {
  if (mediaType.startsWith('image/')) return 'image';
  if (!/^(?:audio|video)\//.test(mediaType)) return 'document';
  losses.drop(fields.path('mimeType'));
  return undefined;
}

function readCall(call: Fields, calls: CallIds, losses: Losses): TurnPart {
  const name = call.needName('name');
  const id = calls.add(name, call.text('id'));
  const text = JSON.stringify(call.json('args') ?? {});
  return call.done(losses, { kind: 'tool_call', id, name, arguments: text });
}

function readResponse(response: Fields, calls: CallIds, losses: Losses): TurnPart {
  const name = response.needName('name');
  const callId = calls.take(name, response.text('id'));
  const given = response.json('response') ?? {};
  response.skip('willContinue', 'scheduling');
  const isError = isObject(given) && 'error' in given && Object.keys(given).length === 1;
  const part = { kind: 'text' as const, text: textOf(given) };
  return response.done(losses, { kind: 'tool_result', callId, name, parts: [part], isError });
}

/** SDKs put a text under `output`, `result` or `error`; anything else is passed on as JSON. */
function textOf(response: Readonly<Record<string, unknown>>): string {
  const values = Object.values(response);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(response);
}

function readTools(tool: Fields, losses: Losses): readonly ToolDefinition[] {
  const declared = tool.objects('functionDeclarations').map((each) => readFunction(each, losses));
  return tool.done(losses, declared);
}

function readFunction(declared: Fields, losses: Losses): ToolDefinition {
  const schema = declared.json('parametersJsonSchema');
  const own = declared.json('parameters');
  declared.skip('response', 'responseJsonSchema', 'behavior');
  return declared.done(losses, {
    name: declared.needName('name'),
    description: declared.text('description'),
    parameters: schema ?? (own && toJsonSchema(own)),
    isStrict: undefined,
  });
}

function readToolChoice(choice: Fields, losses: Losses): ToolChoice {
  const allowed = choice.texts('allowedFunctionNames');
  const [name] = allowed;
  switch (choice.text('mode') ?? 'AUTO') {
    case 'NONE':
      return { kind: 'none' };
    case 'ANY':
      if (allowed.length > 1) losses.drop(choice.path('allowedFunctionNames'));
      return allowed.length === 1 && name !== undefined
        ? { kind: 'tool', name }
        : { kind: 'required' };
    default:
      return { kind: 'auto' };
  }
}
