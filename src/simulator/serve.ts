// Serves one provider request: reads it, decides on a scenario, plays the scenario. A request that the
// provider would reject is refused before it consumes a scenario.

import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Operation } from './model-request.ts';
import { readBody } from './read-body.ts';
import { isRecord } from './read-json.ts';
import type { Route } from './route.ts';
import type { Decider, Decision } from './scenario/decide.ts';
import { echoMessage } from './scenario/echo.ts';
import { play } from './scenario/play.ts';
import type { PromptCache } from './scenario/prompt-cache.ts';
import { refuseAsMistake } from './scenario/refuse.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Reading, Script } from './scenario/script.ts';
import { readRequest } from './scenario/script.ts';
import { digest } from './truth/digest.ts';

const SCENARIO_HEADER = 'x-simulator-scenario';

const MAX_MODEL = 256;

/** A request as the provider received it, for tests that check what callers caused. */
export type ObservedRequest = Pick<Route, 'provider' | 'operation' | 'path'> & {
  readonly headers: IncomingHttpHeaders;
  readonly json: Readonly<Record<string, unknown>>;
};

export type RequestObserver = (request: ObservedRequest) => void;

export type ServeContext = {
  readonly observers: readonly RequestObserver[];
  readonly decider: Decider;
  readonly cache: PromptCache;
};

export async function serve(exchange: Exchange, context: ServeContext): Promise<void> {
  const { entry, request, route } = exchange;
  const body = await readBody(request);
  if (!body) return refuseAsMistake(exchange, 'too-large', 'Request exceeds the maximum size');
  entry.bodyBytes = body.length;
  entry.bodyDigest = digest(body);
  const { operation } = route;
  if (operation === 'unknown') return refuseAsMistake(exchange, 'model-not-found', 'Not found');
  if (entry.credentialHash === null)
    return refuseAsMistake(exchange, 'credentials-refused', 'No API key was given.');
  const json = operation === 'models' ? {} : parseJson(body);
  if (!isRecord(json))
    return refuseAsMistake(exchange, 'invalid-request', 'The request body is not valid JSON.');
  const { provider, path } = route;
  const { headers } = request;
  for (const observe of context.observers) observe({ provider, operation, path, headers, json });
  const { request: reading, rejection } = readRequest(route, json);
  if (rejection)
    return refuseAsMistake(exchange, 'invalid-request', rejection.message, rejection.field);
  const decision = decide(exchange, context, reading, operation);
  const script = writeScript(exchange, context, reading, decision.scenario);
  await play(exchange, withEcho(decision, exchange, json), script);
}

function withEcho(decision: Decision, { request }: Exchange, json: unknown): Decision {
  const { scenario } = decision;
  if (scenario.echo === undefined) return decision;
  const message = echoMessage(scenario.echo, request, json);
  return { ...decision, scenario: { ...scenario, message } };
}

function decide(
  { entry, log, request, route }: Exchange,
  { decider }: ServeContext,
  reading: Reading,
  operation: Operation,
): Decision {
  const { model } = reading;
  entry.model = model === '' ? null : log.share(model.slice(0, MAX_MODEL));
  entry.stream = reading.isStream;
  const { provider } = route;
  const header = request.headers[SCENARIO_HEADER];
  const decision = decider.decide(
    { provider, operation, model, credentialHash: entry.credentialHash },
    typeof header === 'string' ? header : undefined,
  );
  log.change(entry, { scenario: decision.label });
  return decision;
}

function writeScript(
  { entry, id, route }: Exchange,
  { cache }: ServeContext,
  reading: Reading,
  scenario: Scenario,
): Script {
  const owner = `${route.provider} ${entry.credentialHash}`;
  const cached = cache.use(owner, reading.request, entry.bodyDigest ?? '');
  return reading.script(scenario, { id, createdAt: entry.startedAt }, cached);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
