// Requests with one SDK, one after another, with its default retries and timeouts; prints as one line of JSON what its caller
// catches first and the seconds of the longest request. Arguments: SDK, origin, key, model, `unary` or `stream`, requests.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, type LanguageModel, streamText } from 'ai';
import OpenAI from 'openai';

const [name = '', origin = '', apiKey = '', model = '', mode = '', requests = ''] =
  process.argv.slice(2);
const isStream = mode === 'stream';
let prompt = 'Say hello';

const CALLS: Readonly<Record<string, () => Promise<string>>> = {
  '@anthropic-ai/sdk': anthropic,
  openai: chat,
  'openai responses': responses,
  '@google/genai': google,
  'ai (anthropic)': () => vercel(createAnthropic({ baseURL: `${origin}/v1`, apiKey })(model)),
  'ai (openai)': () => vercel(createOpenAI({ baseURL: `${origin}/v1`, apiKey })(model)),
  'ai (google)': () =>
    vercel(createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey })(model)),
};

const all: Seen[] = [];
for (let number = 1; number <= Number(requests); number += 1) {
  prompt = `Say hello ${number}`;
  all.push(await request());
}
const shown = all.find(({ errorClass }) => errorClass !== undefined) ?? all[0];
const seconds = Math.max(...all.map((each) => each.seconds));
process.stdout.write(`${JSON.stringify({ ...shown, seconds })}\n`);

type Seen = {
  readonly text: string;
  readonly seconds: number;
  readonly errorClass?: string;
  readonly ancestors?: readonly string[];
};

async function request(): Promise<Seen> {
  const startedAt = performance.now();
  const secondsSoFar = () => (performance.now() - startedAt) / 1000;
  try {
    const call = CALLS[name];
    if (call === undefined) throw new RangeError(`no SDK ${name}`);
    return { text: await call(), seconds: secondsSoFar() };
  } catch (error) {
    const classes = { errorClass: classOf(error), ancestors: ancestorsOf(error) };
    return { ...classes, text: textOf(error), seconds: secondsSoFar() };
  }
}

async function anthropic(): Promise<string> {
  const client = new Anthropic({ baseURL: origin, apiKey });
  const messages = [{ role: 'user' as const, content: prompt }];
  const request = { model, max_tokens: 200, messages };
  if (isStream) return (await client.messages.stream(request).finalMessage()).id;
  return (await client.messages.create(request)).id;
}

async function chat(): Promise<string> {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey });
  const messages = [{ role: 'user' as const, content: prompt }];
  if (!isStream) return (await client.chat.completions.create({ model, messages })).id;
  const stream = client.chat.completions.stream({ model, messages });
  return (await stream.finalChatCompletion()).id;
}

async function responses(): Promise<string> {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey });
  if (!isStream) return (await client.responses.create({ model, input: prompt })).id;
  return (await client.responses.stream({ model, input: prompt }).finalResponse()).id;
}

async function google(): Promise<string> {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
  if (!isStream)
    return (await client.models.generateContent({ model, contents: prompt })).text ?? '';
  let text = '';
  let reason: string | undefined;
  for await (const chunk of await client.models.generateContentStream({
    model,
    contents: prompt,
  })) {
    text += chunk.text ?? '';
    reason = chunk.candidates?.[0]?.finishReason ?? reason;
  }
  // Without a finish reason the text is incomplete, and the SDK does not say so.
  return reason === undefined ? `incomplete, without an error: ${text}` : text;
}

async function vercel(languageModel: LanguageModel): Promise<string> {
  if (!isStream) return (await generateText({ model: languageModel, prompt: prompt })).text;
  const result = streamText({ model: languageModel, prompt: prompt, onError: () => {} });
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
  return result.text;
}

function classOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // A wrapper of the SDK's own retries: the cause is the class that callers look at.
  const last: unknown = 'lastError' in error ? error.lastError : undefined;
  const status: unknown = Reflect.get(error, 'statusCode') ?? Reflect.get(error, 'status');
  const inner = last === undefined ? '' : ` of ${classOf(last)}`;
  return `${error.constructor.name}${typeof status === 'number' ? ` ${status}` : ''}${inner}`;
}

/** A caller that catches a class catches its subclasses, too. */
function ancestorsOf(error: unknown): readonly string[] {
  const names: string[] = [];
  for (let each: unknown = error; each instanceof Error; each = Object.getPrototypeOf(each))
    names.push(each.constructor.name);
  return names;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
