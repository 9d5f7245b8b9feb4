// The named scenarios, one per way in which a provider misbehaves. `docs/simulator.md` and the dashboard show
// this table; any field can override a preset's, as in {"preset":"usage-limit","resetInSeconds":600}.

export type Preset = {
  /** One line for the list of presets. */
  readonly description: string;
  readonly scenario: Readonly<Record<string, unknown>>;
};

export const PRESETS = {
  healthy: {
    description: 'Answers immediately and without faults.',
    scenario: { fault: 'none' },
  },
  slow: {
    description: 'Waits 3 s before it answers.',
    scenario: { latencyMs: 3_000 },
  },
  'slow-stream': {
    description: 'Starts after 500 ms and sends 20 tokens a second.',
    scenario: { latencyMs: 500, tokensPerSecond: 20 },
  },
  'long-answer': {
    description: 'Answers with 2,000 tokens.',
    scenario: { outputTokens: 2_000 },
  },
  flaky: {
    description: 'One answer in five fails: 10 % overloaded, 5 % server errors, 5 % throttled.',
    scenario: { errorRates: { '529': 0.1, '500': 0.05, '429': 0.05 } },
  },
  'tight-rate-limit': {
    description: 'A real limit of 5 requests a minute per key, with the headers of the provider.',
    scenario: { rateLimit: { requestsPerMinute: 5 } },
  },
  'rate-limit': {
    description: 'Throttles every request (429) and states a delay of 2 s.',
    scenario: { fault: 'rate-limit', retryAfterMs: 2_000 },
  },
  'rate-limit-no-delay': {
    description: 'Throttles every request (429) and states no delay.',
    scenario: { fault: 'rate-limit' },
  },
  'usage-limit': {
    description:
      'The plan is exhausted for an hour: "Claude AI usage limit reached|<epoch>" and similar.',
    scenario: { fault: 'usage-limit', resetInSeconds: 3_600 },
  },
  'usage-limit-headers': {
    description:
      'The plan is exhausted for an hour, distinguishable from a throttle only by headers or details.',
    scenario: { fault: 'usage-limit-headers', resetInSeconds: 3_600 },
  },
  'usage-limit-in-stream': {
    description:
      'The plan is exhausted for an hour, reported by an error event in a stream that began with 200.',
    scenario: { fault: 'usage-limit', resetInSeconds: 3_600, afterChunks: 0 },
  },
  'spend-limit': {
    description: 'The spending cap is reached; the error states a date, or no time at all.',
    scenario: { fault: 'spend-limit', resetInSeconds: 86_400 },
  },
  'credits-exhausted': {
    description: 'The balance is exhausted and no time is stated.',
    scenario: { fault: 'credits-exhausted' },
  },
  overloaded: {
    description: 'Overloaded: 529 from Anthropic, 503 from the others.',
    scenario: { fault: 'overloaded' },
  },
  'overloaded-in-stream': {
    description: 'A stream that begins with 200 and reports overload before any content.',
    scenario: { fault: 'overloaded', afterChunks: 0 },
  },
  'overloaded-mid-stream': {
    description: 'A stream that reports overload after three chunks of content.',
    scenario: { fault: 'overloaded', afterChunks: 3 },
  },
  'server-error': {
    description: 'Internal server error (500).',
    scenario: { fault: 'server-error', status: 500 },
  },
  timeout: {
    description: 'The provider itself timed out (504).',
    scenario: { fault: 'timeout' },
  },
  'credentials-refused': {
    description: 'The API key is rejected (401; Gemini answers 400).',
    scenario: { fault: 'credentials-refused' },
  },
  forbidden: {
    description: 'The API key lacks permission (403).',
    scenario: { fault: 'forbidden' },
  },
  'context-too-long': {
    description: 'The prompt exceeds the context window of the model.',
    scenario: { fault: 'context-too-long' },
  },
  'content-policy': {
    description: 'The content is refused with an error.',
    scenario: { fault: 'content-policy' },
  },
  refusal: {
    description:
      'The content is refused inside a 200: stop reason refusal, content_filter or SAFETY.',
    scenario: { stopReason: 'refusal', text: '' },
  },
  'invalid-request': {
    description: 'A parameter is rejected (400).',
    scenario: { fault: 'invalid-request' },
  },
  'model-not-found': {
    description: 'The model is unknown (404).',
    scenario: { fault: 'model-not-found' },
  },
  'too-large': {
    description: 'The request is too large (413).',
    scenario: { fault: 'too-large' },
  },
  hang: {
    description: 'Accepts the request and never answers, not even with headers.',
    scenario: { fault: 'hang' },
  },
  'hang-after-headers': {
    description: 'Sends the headers, then nothing.',
    scenario: { fault: 'hang-after-headers' },
  },
  stall: {
    description: 'A stream that stops after three chunks without ending.',
    scenario: { fault: 'stall', afterChunks: 3 },
  },
  'keep-alive-only': {
    description: 'A stream that sends a keep-alive each second and never any content.',
    scenario: { fault: 'stall', afterChunks: 0, keepAliveMs: 1_000 },
  },
  cut: {
    description: 'The connection is cut after three chunks, or in the middle of a unary body.',
    scenario: { fault: 'cut', afterChunks: 3 },
  },
  'cut-before-content': {
    description: 'The connection is cut after the headers, before any content.',
    scenario: { fault: 'cut', afterChunks: 0 },
  },
  reset: {
    description: 'The connection is reset before any answer.',
    scenario: { fault: 'reset' },
  },
  'early-end': {
    description: 'A stream that ends cleanly after three chunks, without its closing event.',
    scenario: { fault: 'early-end', afterChunks: 3 },
  },
  'malformed-json': {
    description: 'A 200 with a body, or a fourth stream event, that is not JSON.',
    scenario: { fault: 'malformed-json', afterChunks: 3 },
  },
  'truncated-json': {
    description:
      'A 200 with a body, or a fourth stream event, that stops half-way and ends cleanly.',
    scenario: { fault: 'truncated-json', afterChunks: 3 },
  },
  'empty-body': {
    description: 'A 200 with an empty body.',
    scenario: { fault: 'empty-body' },
  },
  'nginx-502': {
    description: 'The HTML page of an nginx that cannot reach its upstream (502).',
    scenario: { fault: 'html-page', page: 'nginx', status: 502 },
  },
  'cloudflare-520': {
    description: 'The HTML page of Cloudflare for an unknown error of the origin (520).',
    scenario: { fault: 'html-page', page: 'cloudflare', status: 520 },
  },
  'cloudflare-522': {
    description: 'The HTML page of Cloudflare for an origin that does not answer (522).',
    scenario: { fault: 'html-page', page: 'cloudflare', status: 522 },
  },
  'wrong-content-type': {
    description: 'A correct answer with the content type text/html.',
    scenario: { fault: 'wrong-content-type' },
  },
  leaky: {
    description:
      'A server error with a secret in its message, fields and headers; set your own with `secret`.',
    scenario: { fault: 'server-error', secret: 'sk-canary-7d1f0c' },
  },
} as const satisfies Readonly<Record<string, Preset>>;
