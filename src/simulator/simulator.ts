// A server that imitates the providers and fails on demand: it serves their wire formats, plays the
// configured scenarios, and keeps a truth log of the requests it received. Binds to loopback by default.
// States: listening → closing → closed. Closing ends every connection and is idempotent.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { createServer } from '../kernel/http-module.ts';
import type { ControlReply, ControlRequest } from './control.ts';
import { answerControl, control, isControlPath } from './control.ts';
import type { Exchange } from './exchange.ts';
import { cutConnection, openExchange } from './exchange.ts';
import { InvalidInput } from './invalid-input.ts';
import { matchRoute } from './route.ts';
import { Decider } from './scenario/decide.ts';
import { PromptCache } from './scenario/prompt-cache.ts';
import { refuseAsMistake } from './scenario/refuse.ts';
import { type Scenario, scenarioBody } from './scenario/scenario.ts';
import { type RequestObserver, serve } from './serve.ts';
import type { TruthEntry } from './truth/truth-entry.ts';
import type { TruthTotals } from './truth/truth-log.ts';
import { TruthLog } from './truth/truth-log.ts';

export type { Scenario } from './scenario/scenario.ts';
export type { ObservedRequest } from './serve.ts';
export type { TruthEntry } from './truth/truth-entry.ts';
export type { TruthTotals } from './truth/truth-log.ts';

export type SimulatorOptions = {
  readonly host?: string;
  /** 0, the default, selects any free port. */
  readonly port?: number;
  readonly clock: Clock;
  /** Capacity of the truth log, in requests. */
  readonly logCapacity?: number;
};

export type Simulator = {
  readonly url: string;
  readonly port: number;
  /** As `PUT /_simulator/scenario`: one scenario, or a list that replaces all. Throws on an invalid one. */
  setScenario(scenario: unknown): void;
  resetScenario(): void;
  /** The active scenarios, most specific first, without secrets. */
  scenarios(): readonly Scenario[];
  log(): readonly TruthEntry[];
  clearLog(): void;
  stats(): TruthTotals;
  /** Resolves with the first past or future entry that satisfies the predicate. */
  waitFor(predicate: (entry: TruthEntry) => boolean, signal?: AbortSignal): Promise<TruthEntry>;
  /** Calls the observer with the body of every later request; the log itself keeps no bodies. */
  observe(observer: RequestObserver): void;
  /** Calls a control endpoint (`/_simulator/…`) from within the process. */
  readonly control: {
    (request: ControlRequest): ControlReply;
    /** The body of `PUT /_simulator/scenario`. */
    readonly scenarioBody: typeof scenarioBody;
  };
  close(): Promise<void>;
};

const DEFAULTS = { host: '127.0.0.1', port: 0, logCapacity: 100_000 } as const;

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host, port: wanted, logCapacity, clock } = { ...DEFAULTS, ...options };
  const log = new TruthLog(clock, logCapacity);
  const decider = new Decider(clock);
  const observers: RequestObserver[] = [];
  const context = { decider, cache: new PromptCache(), observers };
  let closing: Promise<void> | undefined;
  const surroundings = { clock, log, isClosing: () => closing !== undefined };

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    if (isControlPath(url)) return void answerControl(request, response, { decider, log });
    const route = matchRoute(request.method ?? 'GET', url, request.headers);
    const exchange = openExchange(request, response, route, surroundings);
    serve(exchange, context).catch((failure: unknown) => answerFailure(exchange, failure));
  }

  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, onRequest);
  server.listen(wanted, host);
  await once(server, 'listening');
  const port = portOf(server.address());

  async function shutDown(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    log.close();
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    setScenario: (scenario) => decider.set(scenario),
    resetScenario: () => decider.reset(),
    scenarios: () => decider.list(),
    log: () => log.entries(),
    clearLog: () => log.clear(),
    stats: () => log.totals(),
    waitFor: (predicate, signal) => log.waitFor(predicate, signal),
    observe: (observer) => void observers.push(observer),
    control: Object.assign((request: ControlRequest) => control({ decider, log }, request), {
      scenarioBody,
    }),
    close: () => (closing ??= shutDown()),
  };
}

/** An invalid scenario header is the caller's mistake; any other failure is a defect of the simulator. */
function answerFailure(exchange: Exchange, failure: unknown): void {
  const { response, signal } = exchange;
  if (signal.aborted || response.destroyed) return;
  if (response.headersSent) return cutConnection(exchange, 'closed');
  if (failure instanceof InvalidInput)
    return refuseAsMistake(exchange, 'invalid-request', failure.message);
  refuseAsMistake(exchange, 'server-error', `The simulator failed: ${String(failure)}`);
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
