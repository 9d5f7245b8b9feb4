// Shared by all scenario playbacks: the request with the script of its answer, the start and end of a stream,
// and waits that end when the caller disconnects.

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

export type Playback = {
  readonly exchange: Exchange;
  readonly scenario: Scenario;
  readonly script: Script;
  readonly headers: OutgoingHttpHeaders;
};

export const JSON_TYPE = { 'content-type': 'application/json' } as const;

export async function answerFully(playback: Playback): Promise<void> {
  const { exchange, script, headers } = playback;
  if (!script.isStream) {
    billInput(playback);
    billOutput(playback);
    return answerWhole(exchange, 200, { ...headers, ...JSON_TYPE }, script.whole(), 'ok');
  }
  const stream = beginStream(playback);
  await stream.sendRest();
  billOutput(playback);
  endStream(playback, stream.ending, 'ok');
}

/** Input is billed when the head of an answer is sent; a refusal or silence costs nothing. */
export function billInput({ exchange, script }: Playback): void {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = script.usage;
  Object.assign(exchange.entry, { inputTokens, cacheReadTokens, cacheWriteTokens });
}

export function billOutput({ exchange, script }: Playback): void {
  exchange.entry.outputTokens = script.usage.outputTokens;
}

/** Writes the head of the stream; the events follow on demand. */
export function beginStream(playback: Playback): StreamOut {
  const { exchange, scenario, script, headers } = playback;
  const framing = framingOf(exchange.route);
  billInput(playback);
  exchange.entry.status = 200;
  exchange.response.writeHead(200, {
    'content-type': framing.contentType,
    'cache-control': 'no-cache',
    ...headers,
  });
  if (isSlow(scenario)) exchange.response.flushHeaders();
  return new StreamOut(exchange, framing, script, scenario);
}

/** At full speed the head is flushed together with the first event, which is cheaper. */
function isSlow({ fault, tokensPerSecond, chunkDelayMs }: Scenario): boolean {
  return fault !== undefined || tokensPerSecond !== undefined || chunkDelayMs !== undefined;
}

/** Ends the stream; the outcome is recorded when the last byte was flushed. */
export function endStream(
  { exchange }: Playback,
  lastBytes: string | Buffer,
  outcome: Outcome,
): void {
  exchange.response.end(lastBytes, (error?: Error | null) => {
    if (!error) exchange.log.finish(exchange.entry, { outcome });
  });
}

export async function wait({ exchange }: Playback, delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(exchange.clock, delayMs, exchange.signal);
}

/** Sends nothing until the caller disconnects or `pauseMs` elapse, except a keep-alive per interval. */
export async function sendNothing(
  playback: Playback,
  sendKeepAlive?: () => Promise<void>,
): Promise<void> {
  const { exchange, scenario } = playback;
  const { pauseMs = Number.POSITIVE_INFINITY, keepAliveMs = Number.POSITIVE_INFINITY } = scenario;
  exchange.log.change(exchange.entry, { outcome: 'hung' });
  const until = exchange.clock.monotonic() + pauseMs;
  for (let leftMs = pauseMs; leftMs > 0; leftMs = until - exchange.clock.monotonic()) {
    await pause(exchange, Math.min(leftMs, keepAliveMs));
    await sendKeepAlive?.();
  }
  exchange.log.change(exchange.entry, { outcome: 'pending' });
}

async function pause({ clock, signal }: Exchange, delayMs: number): Promise<void> {
  if (Number.isFinite(delayMs)) return sleep(clock, delayMs, signal);
  signal.throwIfAborted();
  await once(signal, 'abort');
  signal.throwIfAborted();
}
