// Concurrent callers of a model through the gateways. A gateway that refuses the connection is skipped for the next
// one, as a load balancer does; every other failure is the call's outcome. Each call uses its own connection: a server
// may close a kept-alive connection while the next request is in transit, which HTTP leaves to the client to repeat.

import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { CALLER_KEY, MODEL, OUTPUT_TOKENS } from './installation/installation-settings.ts';
import type { Member } from './installation/member.ts';

export type CallOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** The connection broke before the answer was whole. */
  | { readonly kind: 'broken' };

const AGAIN_AFTER_MS = 100;

/** Makes `count` calls with `callers` concurrent callers; resolves to the outcome of each call. */
export async function callMany(
  gateways: readonly Member[],
  options: {
    readonly count: number;
    readonly callers: number;
    readonly signal: AbortSignal;
    /** The pause of a caller between two calls. */
    readonly pauseMs?: number;
  },
): Promise<CallOutcome[]> {
  const { count, callers, signal, pauseMs = 0 } = options;
  const outcomes: CallOutcome[] = [];
  let begun = 0;
  const callOn = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      outcomes.push(await call(gateways, begun, signal));
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    }
  };
  await Promise.all(Array.from({ length: callers }, callOn));
  return outcomes;
}

async function call(
  gateways: readonly Member[],
  number: number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  for (let turn = number; ; turn += 1) {
    signal.throwIfAborted();
    const url = gateways[turn % gateways.length]?.url ?? '';
    try {
      const answer = await request(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': CALLER_KEY, 'content-type': 'application/json' },
        body: callBody(`Call ${number}`, false),
        reset: true,
        signal,
      });
      return { kind: 'answered', status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      if (!isRefused(error)) return { kind: 'broken' };
      await sleep(AGAIN_AFTER_MS, undefined, { signal });
    }
  }
}

export function callBody(content: string, stream: boolean): string {
  const messages = [{ role: 'user', content }];
  return JSON.stringify({ model: MODEL, max_tokens: OUTPUT_TOKENS, stream, messages });
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
