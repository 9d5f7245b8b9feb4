// Plays one scenario on one request: admits it or not, waits, then answers or fails as told.
// Rejects with the signal's reason when the caller goes away; the log has noted that by then.

import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange } from '../exchange.ts';
import { refuse } from '../formats/dialects.ts';
import { limitHeaders } from '../formats/limit-headers.ts';
import type { Decision } from './decide.ts';
import type { Failure } from './failure.ts';
import { leakedHeaders } from './failure.ts';
import type { Performance } from './performance.ts';
import { answerFully, beginStream, endStream, wait } from './performance.ts';
import { playRawFault } from './play-fault.ts';
import { failureOf, identityHeaders, sendRefusal } from './refusing.ts';
import { isRawFault } from './scenario.ts';
import type { Script } from './script.ts';

export async function play(exchange: Exchange, decision: Decision, script: Script): Promise<void> {
  const { scenario } = decision;
  const headers = admit(exchange, decision, script);
  if (!headers) return;
  const performance: Performance = { exchange, scenario, script, headers };
  const { fault = 'none' } = scenario;
  await wait(performance, latencyOf(performance));
  if (fault === 'none') return answerFully(performance);
  if (isRawFault(fault)) return playRawFault(performance, fault);
  const failure = failureOf(exchange, fault, script, scenario);
  if (script.isStream && isSaidInside(performance, failure))
    return failInStream(performance, failure);
  return sendRefusal(exchange, failure, headers);
}

/** The headers of the answer when the limit lets it pass; nothing when it was refused. */
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
  const told = { ...headers, ...limitHeaders(exchange.route.dialect, admission.state, now) };
  if (admission.isAdmitted) return told;
  const failure = failureOf(exchange, 'rate-limit', script, { secret, resetAt: admission.retryAt });
  sendRefusal(exchange, { ...failure, excess: admission }, told);
  return undefined;
}

/** Asking what there is, or how much it would be, counts against no limit. */
const UNLIMITED: ReadonlySet<string> = new Set(['models', 'count_tokens']);

/** A whole answer takes as long as speaking it would have. */
function latencyOf({ exchange, scenario, script }: Performance): number {
  const { latencyMs = 0, jitterMs = 0, tokensPerSecond, fault = 'none' } = scenario;
  const jitter = jitterMs === 0 ? 0 : jitterMs * exchange.clock.random();
  if (tokensPerSecond === undefined || script.isStream || fault !== 'none')
    return latencyMs + jitter;
  return latencyMs + jitter + (script.usage.outputTokens / tokensPerSecond) * 1000;
}

/** A refusal with status 200, as Gemini words its policy, has no place but inside the stream. */
function isSaidInside({ exchange, scenario }: Performance, failure: Failure): boolean {
  return scenario.afterChunks !== undefined || refuse(exchange.route, failure).status === 200;
}

async function failInStream(performance: Performance, failure: Failure): Promise<void> {
  const { exchange, scenario, script } = performance;
  const stream = beginStream(performance);
  await stream.sendUntil(scenario.afterChunks ?? 0);
  await stream.sendEvent(script.errorEvent({ ...failure, now: exchange.clock.now() }));
  endStream(performance, stream.ending, 'failed_in_stream');
}
