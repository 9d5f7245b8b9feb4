// Requests to a gateway as callers and operators send them, for tests that compare with the simulator's truth log.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import type { TestGateway } from './test-gateway.ts';

export const CLAUDE = 'claude-sonnet-5-5';
export const GPT = 'gpt-5-mini';

/** A gateway's URL and a key. */
export type Caller = Pick<TestGateway, 'url' | 'apiKey'>;

export type Ask = {
  readonly path?: string;
  readonly body?: object | string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Sends a message to Claude by default. */
export async function ask({ url, apiKey }: Caller, asked: Ask = {}): Promise<Answer> {
  const { path = '/v1/messages', body = messageBody(asked), headers = {}, signal } = asked;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

/** A cut Gemini stream breaks its connection after the error event; the text up to there is the answer. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
  } catch (error) {
    if (!Buffer.concat(chunks).includes('"error"')) throw error;
  }
  return Buffer.concat(chunks).toString();
}

export function messageBody({ model = CLAUDE, stream = false }: Ask = {}): object {
  const messages = [{ role: 'user', content: 'Hello' }];
  return { model, max_tokens: 50, messages, ...(stream ? { stream } : {}) };
}

export function chatAsk(asked: Ask = {}): Ask {
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { model: asked.model ?? GPT, messages, stream: asked.stream ?? false };
  return { path: '/v1/chat/completions', body, ...asked };
}

/** `code` is Spillway's code, even where the format shows the vendor's. */
export type WireError = {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly suggestedActions?: readonly string[];
  readonly queueAvailable?: boolean;
  readonly partial?: boolean;
};

/** The error of a unary answer, in Anthropic's or OpenAI's format. */
export function errorOf({ text }: Answer): WireError {
  return withOwnCode((JSON.parse(text) as { error: SentError }).error);
}

/** The error of a stream's last event. */
export function lastErrorOf({ text }: Answer): WireError {
  const data = text
    .trimEnd()
    .split('\n')
    .findLast((line) => line.startsWith('data: '));
  const { error } = JSON.parse(data?.slice('data: '.length) ?? '{}') as { error?: SentError };
  assert.ok(error, text.slice(-500));
  return withOwnCode(error);
}

type SentError = WireError & { readonly spillway_code?: string };

function withOwnCode({ spillway_code: code, ...error }: SentError): WireError {
  return { ...error, code: code ?? error.code };
}

export function remainingRequests({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining-requests') ?? Number.NaN);
}

export function attemptsOf({ headers }: Answer): number {
  return Number(headers.get('x-spillway-attempts') ?? Number.NaN);
}

/** Sends an admin request and returns its body; fails the test on an error status. */
export async function administer(
  { url, adminKey }: Pick<TestGateway, 'url' | 'adminKey'>,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Creates an organisation and a key. */
export async function newTenant(
  gateway: Pick<TestGateway, 'url' | 'adminKey'>,
  settings: object = {},
  key: object = {},
): Promise<Caller & { readonly organizationId: string }> {
  const organizationId = `org-${randomUUID()}`;
  await administer(gateway, 'POST', '/admin/orgs', { id: organizationId, name: 'o', ...settings });
  const made = await administer(gateway, 'POST', `/admin/orgs/${organizationId}/keys`, {
    name: 'k',
    ...key,
  });
  return { url: gateway.url, apiKey: String(made['key']), organizationId };
}

export type UsageTotals = {
  readonly attempts: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
};

/** The usage of the caller's organisation, once the store has `attempts` records. */
export async function usageOf({ url, apiKey }: Caller, attempts: number): Promise<UsageTotals> {
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    const response = await fetch(`${url}/v1/usage?groupBy=provider`, {
      headers: { 'x-api-key': apiKey },
      signal: deadline,
    });
    const { data } = (await response.json()) as { data: UsageTotals[] };
    const used = data.reduce(add, NO_USAGE_TOTALS);
    if (used.attempts >= attempts) return used;
    await sleep(systemClock, POLL_MS, deadline);
  }
}

/** Polling competes with the writes that it waits for. */
const POLL_MS = 20;

const NO_USAGE_TOTALS: UsageTotals = {
  attempts: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

function add(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    attempts: one.attempts + other.attempts,
    failures: one.failures + other.failures,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
