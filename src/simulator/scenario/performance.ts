// What every way of answering shares: the request with the script of its answer, the beginning and the end of a
// stream, and waiting that ends when the caller goes away.

import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { sleep } from '../../kernel/clock.ts';
import type { Exchange } from '../exchange.ts';
import { answerWhole } from '../exchange.ts';
import { framingOf } from '../formats/framing.ts';
import { StreamOut } from '../stream-out.ts';
import type { Outcome } from '../truth/truth-entry.ts';
import type { Scenario } from './scenario.ts';
import type { Script } from './script.ts';

export type Performance = {
  readonly exchange: Exchange;
  readonly scenario: Scenario;
  readonly script: Script;
  readonly headers: OutgoingHttpHeaders;
};

export const JSON_TYPE = { 'content-type': 'application/json' } as const;

export async function answerFully(performance: Performance): Promise<void> {
  const { exchange, script, headers } = performance;
  if (!script.isStream) {
    billInput(performance);
    billOutput(performance);
    return answerWhole(exchange, 200, { ...headers, ...JSON_TYPE }, script.whole(), 'ok');
  }
  const stream = beginStream(performance);
  await stream.sendRest();
  billOutput(performance);
  endStream(performance, stream.ending, 'ok');
}

/** The input is charged once the head of an answer goes out; a refusal or silence costs nothing. */
export function billInput({ exchange, script }: Performance): void {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = script.usage;
  Object.assign(exchange.entry, { inputTokens, cacheReadTokens, cacheWriteTokens });
}

export function billOutput({ exchange, script }: Performance): void {
  exchange.entry.outputTokens = script.usage.outputTokens;
}

/** Writes the head of the stream; the events follow as they are asked for. */
export function beginStream(performance: Performance): StreamOut {
  const { exchange, scenario, script, headers } = performance;
  const framing = framingOf(exchange.route);
  billInput(performance);
  exchange.entry.status = 200;
  exchange.response.writeHead(200, {
    'content-type': framing.contentType,
    'cache-control': 'no-cache',
    ...headers,
  });
  if (isSlow(scenario)) exchange.response.flushHeaders();
  return new StreamOut(exchange, framing, script, scenario);
}

/** At full speed the head leaves together with the first event, which is cheaper. */
function isSlow({ fault, tokensPerSecond, chunkDelayMs }: Scenario): boolean {
  return fault !== undefined || tokensPerSecond !== undefined || chunkDelayMs !== undefined;
}

/** Ends what was begun; it counts as done when the last byte has left. */
export function endStream(
  { exchange }: Performance,
  lastWords: string | Buffer,
  outcome: Outcome,
): void {
  exchange.response.end(lastWords, (error?: Error | null) => {
    if (!error) exchange.log.finish(exchange.entry, { outcome });
  });
}

export async function wait({ exchange }: Performance, delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(exchange.clock, delayMs, exchange.signal);
}

/** Silence until the caller goes away, or for as long as told; `breathe` is what is still sent meanwhile. */
export async function fallSilent(
  performance: Performance,
  breathe?: () => Promise<void>,
): Promise<void> {
  const { exchange, scenario } = performance;
  const { pauseMs = Number.POSITIVE_INFINITY, keepAliveMs = Number.POSITIVE_INFINITY } = scenario;
  exchange.log.change(exchange.entry, { outcome: 'hung' });
  const until = exchange.clock.monotonic() + pauseMs;
  for (let leftMs = pauseMs; leftMs > 0; leftMs = until - exchange.clock.monotonic()) {
    await pause(exchange, Math.min(leftMs, keepAliveMs));
    await breathe?.();
  }
  exchange.log.change(exchange.entry, { outcome: 'pending' });
}

async function pause({ clock, signal }: Exchange, delayMs: number): Promise<void> {
  if (Number.isFinite(delayMs)) return sleep(clock, delayMs, signal);
  signal.throwIfAborted();
  await once(signal, 'abort');
  signal.throwIfAborted();
}
