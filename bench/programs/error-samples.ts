// Bodies of provider failures for the `mapper` row: ordinary bodies as providers send them, and texts of 8 KiB: plain
// prose, and texts built to be slow to scan: openings without an end, numbers without a unit, deep nesting,
// input that makes a backtracking pattern retry.

export type ErrorSample = {
  readonly provider: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const ANTHROPIC_LIMIT =
  'This request would exceed the rate limit for your organization of 50 requests per minute. ' +
  'Reduce the prompt length or the maximum tokens requested, or try again later.';
const OPENAI_LIMIT =
  'Rate limit reached for gpt-4.1 in organization org-bench on requests per min (RPM): Limit 500, ' +
  'Used 500, Requested 1. Please try again in 812ms.';
const OPENAI_QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const OPENAI_TOO_LONG =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.";

export const ORDINARY: readonly ErrorSample[] = [
  anthropic(429, 'rate_limit_error', ANTHROPIC_LIMIT, { 'retry-after': '17' }),
  anthropic(529, 'overloaded_error', 'Overloaded'),
  anthropic(400, 'invalid_request_error', 'max_tokens: Field required'),
  anthropic(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
  anthropic(401, 'authentication_error', 'invalid x-api-key'),
  openai(429, 'requests', 'rate_limit_exceeded', OPENAI_LIMIT, { 'retry-after-ms': '812' }),
  openai(429, 'insufficient_quota', 'insufficient_quota', OPENAI_QUOTA),
  openai(400, 'invalid_request_error', 'context_length_exceeded', OPENAI_TOO_LONG),
  openai(500, 'server_error', null, 'The server had an error while processing your request.'),
  gemini(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota. Please retry in 23.9s.', [
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '23s' },
  ]),
  gemini(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
  ]),
];

const LONG_TEXT_LENGTH = 8_192;

export const PLAIN_TEXT: string = filled(
  'The spillway of a dam lets the water pass that the lake cannot hold, and it does so slowly. ',
);

export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'beginnings of a wait': filled('try again in try again in 1 try again at 12: '),
  'numbers without a unit': filled('9 99 999 9999 1e9 1.1.1.1.1 '),
  'one long number': filled('9'),
  'clock times': filled('resets at 11:59:59:59pm (Europe/'),
  'white space': filled('retry after \t \t \t \t \t '),
  'open brackets': filled('{"error":{"message":['),
  'nested JSON': nested(),
  'open quotes': filled('\'"`'),
  'open tags': filled('<title><html <!-- <h1 '),
  'loose pairs': filled("error={'type':'rate_limit"),
  'almost a phrase': filled('rate limi usage limi quota exceede you have reached your '),
};

function filled(pattern: string): string {
  return pattern.repeat(Math.ceil(LONG_TEXT_LENGTH / pattern.length)).slice(0, LONG_TEXT_LENGTH);
}

function nested(): string {
  const half = LONG_TEXT_LENGTH / 2;
  return '['.repeat(half) + ']'.repeat(half);
}

function anthropic(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorSample {
  const body = JSON.stringify({
    type: 'error',
    error: { type, message },
    request_id: 'req_011CBenchBenchBenchBenchBe',
  });
  return { provider: 'anthropic', status, headers, body };
}

function openai(
  status: number,
  type: string,
  code: string | null,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorSample {
  const body = JSON.stringify({ error: { message, type, param: null, code } });
  return { provider: 'openai', status, headers, body };
}

function gemini(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): ErrorSample {
  const body = JSON.stringify({ error: { code, message, status, details } });
  return { provider: 'gemini', status: code, headers: {}, body };
}
