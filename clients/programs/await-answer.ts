// One long call with one SDK, with its timeout raised to the given milliseconds as the SDK's documentation says; prints the
// whole text and the seconds as one line of JSON. Arguments: SDK, origin, key, model, `unary` or `stream`, timeout.

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { Agent, fetch } from 'undici';

const [name = '', origin = '', apiKey = '', model = '', mode = '', limit = ''] =
  process.argv.slice(2);
const isStream = mode === 'stream';
const timeout = Number(limit);
const PROMPT = 'Count';

// The fetch of Node waits five minutes for headers, whatever the SDK's own timeout is.
const dispatcher = new Agent({ headersTimeout: timeout, bodyTimeout: timeout });
const patience = { timeout, maxRetries: 0, fetch, fetchOptions: { dispatcher } };

const CALLS: Readonly<Record<string, () => Promise<string>>> = {
  '@anthropic-ai/sdk': anthropic,
  openai: chat,
  '@google/genai': google,
};

const startedAt = performance.now();
try {
  const call = CALLS[name];
  if (call === undefined) throw new RangeError(`no SDK ${name}`);
  print({ text: await call() });
} catch (error) {
  const label = error instanceof Error ? error.constructor.name : typeof error;
  print({ errorClass: label, text: String(error) });
}

async function anthropic(): Promise<string> {
  const client = new Anthropic({ baseURL: origin, apiKey, ...patience });
  const messages = [{ role: 'user' as const, content: PROMPT }];
  const request = { model, max_tokens: 8_000, messages };
  const answer = isStream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  return answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

async function chat(): Promise<string> {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, ...patience });
  const request = { model, messages: [{ role: 'user' as const, content: PROMPT }] };
  const answer = isStream
    ? await client.chat.completions.stream(request).finalChatCompletion()
    : await client.chat.completions.create(request);
  return answer.choices[0]?.message.content ?? '';
}

async function google(): Promise<string> {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin, timeout } });
  if (!isStream)
    return (await client.models.generateContent({ model, contents: PROMPT })).text ?? '';
  let text = '';
  for await (const chunk of await client.models.generateContentStream({ model, contents: PROMPT }))
    text += chunk.text ?? '';
  return text;
}

function print(seen: object): void {
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${JSON.stringify({ ...seen, seconds })}\n`);
}
