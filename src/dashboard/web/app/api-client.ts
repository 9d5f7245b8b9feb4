// Requests to the server. Every write carries the header against forged requests; an answer 401 ends the session in this
// page, whichever request it answers. The server is this page's own, so its answers have the types of dashboard/api.

import { endSession } from './session.ts';

export class ApiError extends Error {
  readonly status: number;
  /** Spillway's error code; empty if the answer had none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await request(path, signal ? { signal } : {});
  return (await answer.json()) as T;
}

/** Undefined for an answer without a body. */
export async function sendJson<T>(method: Method, path: string, body?: object): Promise<T> {
  const headers = {
    'x-spillway-csrf': '1',
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const answer = await request(path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** One sentence for the reader, of any failure. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return 'The server does not answer. Check that it runs and that this computer can reach it.';
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
  if (answer.ok) return answer;
  const error = await readError(answer);
  if (error.status === 401 && path !== '/dashboard/session') endSession();
  throw error;
}

type ErrorBody = { readonly error?: { readonly code?: string; readonly message?: string } };

async function readError(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // A proxy in front of the server may answer with HTML.
  }
  const { code = '', message = `The server answered with status ${answer.status}.` } =
    body.error ?? {};
  return new ApiError(answer.status, code, message);
}
