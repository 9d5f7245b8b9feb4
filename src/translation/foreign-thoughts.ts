// Removes the thoughts of other vendors from a request that goes to a provider of the caller's own format. If
// translation served an earlier turn, its thoughts carry another vendor's proof, and the caller's vendor would refuse
// the request. The rest of the body stays as the caller wrote it.

import { isNestedTooDeeply } from '../kernel/json-depth.ts';
import { isObject } from './fields.ts';
import { SKIPS_VALIDATION } from './generate/thought-signatures.ts';
import type { DialectName, JsonObject } from './neutral-request.ts';
import { WRAPPED_PREFIX } from './signature.ts';

const MARK = Buffer.from(`"${WRAPPED_PREFIX}`);

/** The same bytes if no thought of another vendor is in them, or if they are not JSON. */
export function withoutForeignThoughts(body: Buffer, dialect: DialectName): Buffer {
  if (!body.includes(MARK)) return body;
  try {
    const text = body.toString();
    // The reader of the request refuses such a body; parsing it would block the process.
    if (isNestedTooDeeply(text)) return body;
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? Buffer.from(JSON.stringify(CLEANERS[dialect](parsed))) : body;
  } catch {
    return body;
  }
}

const CLEANERS: Readonly<Record<DialectName, (body: JsonObject) => JsonObject>> = {
  messages: cleanMessages,
  chat: (body) => ({ ...body, messages: mapObjects(body['messages'], cleanChatMessage) }),
  responses: (body) => ({ ...body, input: mapObjects(body['input'], cleanItem) }),
  generate: (body) => ({ ...body, contents: mapObjects(body['contents'], cleanContent) }),
};

/** A budget for thinking demands a thought in the turn of the tool calls that are being answered. */
function cleanMessages(body: JsonObject): JsonObject {
  const messages = mapObjects(body['messages'], cleanMessage);
  const { thinking } = body;
  if (!isObject(thinking) || thinking['type'] !== 'enabled' || !hasLostThought(body, messages))
    return { ...body, messages };
  const { thinking: _thinking, ...rest } = body;
  return { ...rest, messages };
}

function hasLostThought({ messages: before }: JsonObject, after: unknown): boolean {
  return JSON.stringify(lastTurn(before)) !== JSON.stringify(lastTurn(after));
}

function lastTurn(messages: unknown): unknown {
  if (!Array.isArray(messages)) return undefined;
  return messages.findLast((each: unknown) => isObject(each) && each['role'] === 'assistant');
}

function cleanMessage(message: JsonObject): JsonObject | undefined {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const kept = content.filter((block: unknown) => !isForeignBlock(block));
  return kept.length === 0 && content.length > 0 ? undefined : { ...message, content: kept };
}

function isForeignBlock(block: unknown): boolean {
  return isObject(block) && (isWrapped(block['signature']) || isForeignRedacted(block));
}

function isForeignRedacted({ type, data }: JsonObject): boolean {
  return type === 'redacted_thinking' && isWrapped(data);
}

function cleanChatMessage(message: JsonObject): JsonObject {
  if (!isWrapped(message['reasoning_signature'])) return message;
  const { reasoning_signature: _signature, reasoning_content: _content, ...rest } = message;
  return rest;
}

function cleanItem(item: JsonObject): JsonObject | undefined {
  return isWrapped(item['encrypted_content']) ? undefined : item;
}

function cleanContent(content: JsonObject): JsonObject {
  return { ...content, parts: mapObjects(content['parts'], cleanPart) };
}

function cleanPart(part: JsonObject): JsonObject | undefined {
  const { thoughtSignature, thought_signature, ...rest } = part;
  if (!isWrapped(thoughtSignature) && !isWrapped(thought_signature)) return part;
  if (part['thought'] === true) return undefined;
  const isCall = 'functionCall' in part || 'function_call' in part;
  return isCall ? { ...rest, thoughtSignature: SKIPS_VALIDATION } : rest;
}

function isWrapped(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(WRAPPED_PREFIX);
}

/** Elements that are not objects, and values that are not lists, stay as they are. */
function mapObjects(list: unknown, map: (each: JsonObject) => JsonObject | undefined): unknown {
  if (!Array.isArray(list)) return list;
  return list.flatMap((each: unknown) => {
    const mapped = isObject(each) ? map(each) : each;
    return mapped === undefined ? [] : [mapped];
  });
}
