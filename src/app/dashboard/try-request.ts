// The request of "Try it" in a wire format, and the caller's answer to it: status, an allow-list of headers, and the body, cut
// at a bound.

import type { TryAnswer, TryRequest } from '../../dashboard/api/try-it.ts';
import { DEFAULT_LOCALE, DEFAULT_TIME_ZONE } from '../../errors/locale.ts';
import { toPublicAnswer } from '../../errors/public-answer.ts';
import { errorBody, wireStatus } from '../../errors/wire-shape.ts';
import type { OwnOutcome } from '../../flow/chat/own-call.ts';
import type { NativeRequest } from '../../flow/serve/native-request.ts';
import { answerText } from '../../upstream/attempt/answer-text.ts';
import { matchNativeRoute } from '../../upstream/native-route.ts';

const MAX_OUTPUT_TOKENS = 500;
const MAX_BODY_CHARACTERS = 65_536;
const SHOWN_HEADERS =
  /^(content-type|retry-after|request-id|x-request-id|x-should-retry|x-spillway-[a-z-]+|(x-|anthropic-)?ratelimit-[a-z-]+)$/;

type WireFormat = TryRequest['format'];

const VENDORS = {
  messages: 'anthropic',
  chat: 'openai',
  responses: 'openai',
  generate: 'gemini',
} as const;

export function tryEndpoint(request: TryRequest): Pick<NativeRequest, 'url' | 'route' | 'body'> {
  const url = urlOf(request);
  const route = matchNativeRoute(url);
  if (!route) throw new Error(`${url} is not an AI endpoint`);
  return { url, route, body: Buffer.from(JSON.stringify(bodyOf(request))) };
}

function urlOf({ format, model, stream }: TryRequest): string {
  switch (format) {
    case 'messages':
      return '/v1/messages';
    case 'chat':
      return '/v1/chat/completions';
    case 'responses':
      return '/v1/responses';
    case 'generate': {
      const action = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return `/v1beta/models/${encodeURIComponent(model)}:${action}`;
    }
  }
}

function bodyOf({ format, model, prompt, stream = false }: TryRequest): object {
  const turns = [{ role: 'user', content: prompt }];
  switch (format) {
    case 'messages':
      return { model, max_tokens: MAX_OUTPUT_TOKENS, stream, messages: turns };
    case 'chat':
      return { model, max_completion_tokens: MAX_OUTPUT_TOKENS, stream, messages: turns };
    case 'responses':
      return { model, max_output_tokens: MAX_OUTPUT_TOKENS, stream, input: prompt };
    case 'generate':
      return {
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: MAX_OUTPUT_TOKENS },
      };
  }
}

type Rendered = Pick<TryAnswer, 'status' | 'headers' | 'body' | 'isBodyCut' | 'text' | 'code'>;

export function renderOutcome(
  format: WireFormat,
  requestId: string,
  outcome: OwnOutcome,
  now: number,
): Rendered {
  if (outcome.kind === 'answered') {
    const { status, headers, body } = outcome.answer;
    const text = body.toString('utf8');
    return {
      status,
      headers: shown(headers),
      ...cut(text),
      text: shownText(format, text),
      code: null,
    };
  }
  const { error, hasRetried } = outcome.failure;
  const reader = { locale: DEFAULT_LOCALE, timeZone: DEFAULT_TIME_ZONE, now };
  const answer = toPublicAnswer(error, { ...reader, requestId, hasRetried });
  const vendor = VENDORS[format];
  return {
    status: wireStatus(vendor, answer),
    headers: shown(
      new Map([...Object.entries(answer.headers), ['content-type', 'application/json']]),
    ),
    ...cut(JSON.stringify(errorBody(vendor, answer))),
    text: null,
    code: error.code,
  };
}

function cut(body: string): Pick<Rendered, 'body' | 'isBodyCut'> {
  return {
    body: body.slice(0, MAX_BODY_CHARACTERS),
    isBodyCut: body.length > MAX_BODY_CHARACTERS,
  };
}

function shown(headers: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].filter(([name]) => SHOWN_HEADERS.test(name.toLowerCase())),
  );
}

/** Null for a stream and for an answer without text. */
function shownText(format: WireFormat, body: string): string | null {
  try {
    const text = answerText(VENDORS[format], JSON.parse(body));
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
