// Secrets to plant in every part of a provider's response, and the search for them in every part of a
// caller's.

import type { FailureFixture } from '../../../src/errors/fixtures/failure-fixture.ts';
import { MARKERS } from '../../../src/errors/markers.ts';

export const CANARIES = {
  providerKey: 'sk-canary-provider-key-5f1d',
  organization: 'org-canary-91c2',
  host: 'canary-host-77.internal',
  stack: 'at canaryFrame (/srv/canary/app.js:1:1)',
} as const;

/** A provider response. */
export type PlantedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** A fixture's failure as an HTTP response, with every canary in its text, fields and headers. */
export function plant({ failure, context }: FailureFixture): PlantedResponse {
  const { status, headers, body } = asResponse(failure);
  return {
    status: status ?? context?.status ?? 500,
    headers: { ...sendable(headers), ...LEAKY_HEADERS },
    body: plantBody(body),
  };
}

/** Names that only a provider, its vendor or its proxies use. */
const PROVIDER_WORDS =
  /anthropic|claude|openai|chatgpt|\bgpt|gemini|google|vertex|azure|bedrock|amazon|\baws|groq|mistral|deepseek|openrouter|\bxai\b|together|cohere|vllm|ollama|cloudflare|nginx|undici|simulator/i;

/** Google's type names in its error shape, which its SDK requires. */
const SHAPE_NAMES = /type\.googleapis\.com\/google\.rpc\./g;

export function canariesIn(text: string): readonly string[] {
  return [...Object.values(CANARIES), 'canary'].filter((canary) => text.includes(canary));
}

/** Every part of a failed answer that its caller must not see. */
export function leaksIn(text: string, planted?: PlantedResponse): readonly string[] {
  const ours = text.replaceAll(SHAPE_NAMES, '');
  const name = PROVIDER_WORDS.exec(ours)?.[0];
  return [
    ...canariesIn(ours),
    ...(name ? [name] : []),
    ...(planted ? quotesOf(planted, ours) : []),
  ];
}

const OUR_HEADERS: ReadonlySet<string> = new Set(
  `content-type content-length x-request-id request-id x-spillway-code x-correlation-id retry-after retry-after-ms x-rate-limit-type
  x-rate-limit-reset x-should-retry x-spillway-served-by x-spillway-attempts cache-control location date
  x-ratelimit-limit-requests x-ratelimit-remaining-requests x-ratelimit-reset-requests
  connection keep-alive transfer-encoding`.split(/\s+/),
);

export function strangeHeaders(headers: Headers): readonly string[] {
  return [...headers]
    .filter(([name, value]) => !OUR_HEADERS.has(name) || leaksIn(value).length > 0)
    .map(([name, value]) => `${name}: ${value}`);
}

const QUOTED_WORDS = 6;

/** Six consecutive words of the provider count as a quotation. */
function quotesOf({ body }: PlantedResponse, ours: string): readonly string[] {
  const words = (typeof body === 'string' ? body : '').split(/[\s"]+/);
  const runs = words.map((_, at) => words.slice(at, at + QUOTED_WORDS).join(' '));
  const own = withoutMarkers(ours);
  return runs.filter((run) => run.split(' ').length === QUOTED_WORDS && own.includes(run));
}

/** A marker repeats words of a vendor on purpose: clients act on them. */
function withoutMarkers(text: string): string {
  const suffixes = Object.values(MARKERS).flatMap((formats) =>
    Object.values(formats).flatMap((marker) => marker.suffixes ?? []),
  );
  return suffixes.reduce((rest, suffix) => rest.replaceAll(`[${suffix}]`, ''), text);
}

const LEAKY_HEADERS = {
  'x-debug-trace': CANARIES.stack,
  'x-upstream-host': CANARIES.host,
  'set-cookie': `session=${CANARIES.providerKey}`,
  server: CANARIES.host,
  via: `1.1 ${CANARIES.host}`,
  'openai-organization': CANARIES.organization,
  'anthropic-organization-id': CANARIES.organization,
  'x-request-id': 'req-canary',
  'request-id': 'req-canary',
  'x-should-retry': 'canary',
  'x-rate-limit-type': 'canary',
} as const;

type Response = {
  readonly status: number | undefined;
  readonly headers: unknown;
  readonly body: unknown;
};

function asResponse(failure: unknown): Response {
  if (failure instanceof Error) {
    const { name, message, cause } = failure;
    const body = { error: { name, message, cause: String(cause) } };
    return { status: undefined, headers: {}, body };
  }
  if (typeof failure !== 'object' || failure === null || !('body' in failure))
    return { status: undefined, headers: {}, body: failure };
  const status = 'status' in failure ? failure.status : undefined;
  const headers = 'headers' in failure ? failure.headers : {};
  const isFinal = typeof status === 'number' && status >= 200 && status <= 599;
  return { status: isFinal ? status : undefined, headers, body: failure.body };
}

const TAIL = ` ${Object.values(CANARIES).join(' ')}`;

function plantBody(body: unknown): string | Uint8Array {
  if (body instanceof Uint8Array) return Buffer.concat([body, Buffer.from(TAIL)]);
  if (typeof body === 'object' && body !== null) return JSON.stringify(plantValue(body));
  const text = typeof body === 'string' ? body : '';
  const parsed = parse(text);
  return parsed ? JSON.stringify(plantValue(parsed)) : text + TAIL;
}

/** Types and codes are unchanged, so that each failure keeps its meaning. */
function plantValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plantValue);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'message' && typeof field === 'string' ? field + TAIL : plantValue(field),
  ]);
  return { ...Object.fromEntries(fields), debug: TAIL, stack: CANARIES.stack };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Headers that HTTP can carry; lengths and encodings are set by the server. */
function sendable(headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {};
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(
    entries
      .filter(
        ([name]) => !/^(content-length|content-encoding|transfer-encoding|connection)$/i.test(name),
      )
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
