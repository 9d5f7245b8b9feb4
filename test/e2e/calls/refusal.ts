// A refused call as its caller sees it, and the checks that hold for every refusal.

import assert from 'node:assert/strict';

export type Refusal = { status: number; headers: Headers; body: string; json: unknown };

export async function readRefusal(response: Response): Promise<Refusal> {
  return refusalOf(response.status, response.headers, await response.text());
}

export function refusalOf(status: number, headers: Headers, body: string): Refusal {
  return { status, headers, body, json: parse(body) };
}

/** Asserts status and code, and that the body has the error shape of the endpoint's format. */
export function assertRefusal(path: string, answer: Refusal, status: number, code: string): void {
  assert.equal(answer.status, status, answer.body);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
  assert.ok(answer.body.includes(code), answer.body);
  assertShape(path, answer.json, status);
}

/** The fields that each provider's SDK reads from an error. */
function assertShape(path: string, body: unknown, status: number): void {
  const error = fieldOf(body, 'error');
  assert.equal(typeof fieldOf(error, 'message'), 'string');
  if (path.includes('messages')) {
    assert.equal(fieldOf(body, 'type'), 'error');
    assert.match(String(fieldOf(error, 'type')), /_error$|^request_too_large$/);
  } else if (path.includes('chat')) {
    assert.equal(typeof fieldOf(error, 'type'), 'string');
    assert.equal(typeof fieldOf(error, 'code'), 'string');
  } else if (path.includes('v1beta')) {
    assert.equal(fieldOf(error, 'code'), status);
    assert.match(String(fieldOf(error, 'status')), /^[A-Z_]+$/);
  } else {
    assert.equal(typeof fieldOf(error, 'code'), 'string');
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
