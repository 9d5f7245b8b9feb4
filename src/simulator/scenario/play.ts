// Plays one scenario on one request: admits or refuses it, waits, then answers or fails. Rejects with the
// signal's reason when the caller disconnects, which the log has recorded by then.

import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange } from '../exchange.ts';
import { refuse } from '../formats/dialects.ts';
import { limitHeaders } from '../formats/limit-headers.ts';
import type { Decision } from './decide.ts';
import type { Failure } from './failure.ts';
import { leakedHeaders } from './failure.ts';
import { playRawFault } from './play-fault.ts';
import type { Playback } from './playback.ts';
import { answerFully, beginStream, endStream, wait } from './playback.ts';
import { failureOf, identityHeaders, sendRefusal } from './refuse.ts';
import { isRawFault } from './scenario.ts';
import type { Script } from './script.ts';

export async function play(exchange: Exchange, decision: Decision, script: Script): Promise<void> {
  const { scenario } = decision;
  const headers = admit(exchange, decision, script);
  if (!headers) return;
  const playback: Playback = { exchange, scenario, script, headers };
  const { fault = 'none' } = scenario;
  await wait(playback, latencyOf(playback));
  if (fault === 'none') return answerFully(playback);
  if (isRawFault(fault)) return playRawFault(playback, fault);
  const failure = failureOf(exchange, fault, script, scenario);
  if (script.isStream && isReportedInStream(playback, failure))
    return failInStream(playback, failure);
  return sendRefusal(exchange, failure, headers);
}

/** The limit headers of an admitted request; undefined if the request was refused. */
function admit(
  exchange: Exchange,
  { scenario, window }: Decision,
  script: Script,
): OutgoingHttpHeaders | undefined {
  const { secret } = scenario;
  const headers = { ...identityHeaders(exchange), ...scenario.headers, ...leakedHeaders(secret) };
  if (!window || UNLIMITED.has(exchange.route.operation)) return headers;
  const now = exchange.clock.now();
  const admission = window.admit(now, script.usage.inputTokens + script.usage.outputTokens);
  const sentHeaders = { ...headers, ...limitHeaders(exchange.route.dialect, admission.state, now) };
  if (admission.isAdmitted) return sentHeaders;
  const failure = failureOf(exchange, 'rate-limit', script, { secret, resetAt: admission.retryAt });
  sendRefusal(exchange, { ...failure, excess: admission }, sentHeaders);
  return undefined;
}

/** Listing models and counting tokens consume no limit. */
const UNLIMITED: ReadonlySet<string> = new Set(['models', 'count_tokens']);

/** A unary answer takes as long as streaming it would. */
function latencyOf({ exchange, scenario, script }: Playback): number {
  const { latencyMs = 0, jitterMs = 0, tokensPerSecond, fault = 'none' } = scenario;
  const jitter = jitterMs === 0 ? 0 : jitterMs * exchange.clock.random();
  if (tokensPerSecond === undefined || script.isStream || fault !== 'none')
    return latencyMs + jitter;
  return latencyMs + jitter + (script.usage.outputTokens / tokensPerSecond) * 1000;
}

/** A refusal with status 200, Gemini's form of a policy refusal, can only be sent inside the stream. */
function isReportedInStream({ exchange, scenario }: Playback, failure: Failure): boolean {
  return scenario.afterChunks !== undefined || refuse(exchange.route, failure).status === 200;
}

async function failInStream(playback: Playback, failure: Failure): Promise<void> {
  const { exchange, scenario, script } = playback;
  const stream = beginStream(playback);
  await stream.sendUntil(scenario.afterChunks ?? 0);
  await stream.sendEvent(script.errorEvent({ ...failure, now: exchange.clock.now() }));
  endStream(playback, stream.ending, 'failed_in_stream');
}
