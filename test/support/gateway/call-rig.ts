// Asking a gateway as callers and operators do, for tests that judge by the simulator's truth log what became of it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import type { TestGateway } from './test-gateway.ts';

export const CLAUDE = 'claude-sonnet-5-5';
export const GPT = 'gpt-5-mini';

/** Where to ask, and as whom. */
export type Place = Pick<TestGateway, 'url' | 'apiKey'>;

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

/** A message to Claude unless told otherwise. */
export async function ask({ url, apiKey }: Place, asked: Ask = {}): Promise<Answer> {
  const { path = '/v1/messages', body = messageBody(asked), headers = {}, signal } = asked;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
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

/** `code` is Spillway's own, also where the format shows the vendor's. */
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

/** The error of a whole answer, in Anthropic's or OpenAI's format. */
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

/** Asks as the operator; the answer's body, which is expected to be good. */
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

/** A new organisation and a key of it. */
export async function newTenant(
  gateway: Pick<TestGateway, 'url' | 'adminKey'>,
  settings: object = {},
  key: object = {},
): Promise<Place & { readonly organizationId: string }> {
  const organizationId = `org-${randomUUID()}`;
  await administer(gateway, 'POST', '/admin/orgs', { id: organizationId, name: 'o', ...settings });
  const made = await administer(gateway, 'POST', `/admin/orgs/${organizationId}/keys`, {
    name: 'k',
    ...key,
  });
  return { url: gateway.url, apiKey: String(made['key']), organizationId };
}

export type Used = {
  readonly attempts: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
};

/** All that the caller's organisation has used, as soon as the store has that many attempts. */
export async function usageOf({ url, apiKey }: Place, attempts: number): Promise<Used> {
  const deadline = AbortSignal.timeout(60_000);
  for (;;) {
    const response = await fetch(`${url}/v1/usage?groupBy=provider`, {
      headers: { 'x-api-key': apiKey },
      signal: deadline,
    });
    const { data } = (await response.json()) as { data: Used[] };
    const used = data.reduce(add, NOTHING_USED);
    if (used.attempts >= attempts) return used;
    await sleep(systemClock, LOOK_AGAIN_MS, deadline);
  }
}

/** Looking costs what storing needs, too. */
const LOOK_AGAIN_MS = 20;

const NOTHING_USED: Used = {
  attempts: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

function add(one: Used, other: Used): Used {
  return {
    attempts: one.attempts + other.attempts,
    failures: one.failures + other.failures,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
