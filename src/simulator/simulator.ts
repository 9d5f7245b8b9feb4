// A server that stands in for the providers and fails on demand: it speaks their wire formats, plays the
// scenario that was set, and keeps a truth log of what it was asked. Binds to loopback unless told otherwise.
// States: listening → closing → closed. Closing ends every connection at once and is idempotent.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { answerControl, isControlPath } from './control.ts';
import type { Exchange } from './exchange.ts';
import { cutConnection, openExchange } from './exchange.ts';
import { matchRoute } from './route.ts';
import { Decider } from './scenario/decide.ts';
import { PromptCache } from './scenario/prompt-cache.ts';
import { refuseAsMistake } from './scenario/refusing.ts';
import type { Scenario } from './scenario/scenario.ts';
import { serve } from './serve.ts';
import type { TruthEntry } from './truth/truth-entry.ts';
import type { TruthTotals } from './truth/truth-log.ts';
import { TruthLog } from './truth/truth-log.ts';
import { WrongInput } from './wrong-input.ts';

export type { Scenario } from './scenario/scenario.ts';
export type { TruthEntry } from './truth/truth-entry.ts';
export type { TruthTotals } from './truth/truth-log.ts';

export type SimulatorOptions = {
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly clock: Clock;
  /** How many requests the truth log remembers. */
  readonly logCapacity?: number;
};

export type Simulator = {
  readonly url: string;
  readonly port: number;
  /** As `PUT /_simulator/scenario`: one scenario, or a list that replaces all. Throws on a wrong one. */
  setScenario(scenario: unknown): void;
  resetScenario(): void;
  /** What is set, most specific first, without secrets. */
  scenarios(): readonly Scenario[];
  log(): readonly TruthEntry[];
  clearLog(): void;
  stats(): TruthTotals;
  /** Resolves with the first entry, past or future, that satisfies the predicate. */
  waitFor(predicate: (entry: TruthEntry) => boolean, signal?: AbortSignal): Promise<TruthEntry>;
  close(): Promise<void>;
};

const DEFAULTS = { host: '127.0.0.1', port: 0, logCapacity: 100_000 } as const;

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host, port: wanted, logCapacity, clock } = { ...DEFAULTS, ...options };
  const log = new TruthLog(clock, logCapacity);
  const decider = new Decider(clock);
  const stage = { decider, cache: new PromptCache() };
  let closing: Promise<void> | undefined;
  const surroundings = { clock, log, isClosing: () => closing !== undefined };

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '/';
    if (isControlPath(url)) return void answerControl(request, response, { decider, log });
    const route = matchRoute(request.method ?? 'GET', url, request.headers);
    const exchange = openExchange(request, response, route, surroundings);
    serve(exchange, stage).catch((failure: unknown) => confess(exchange, failure));
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
    close: () => (closing ??= shutDown()),
  };
}

/** A wrong scenario in the header is the caller's mistake; anything else is a fault of the simulator. */
function confess(exchange: Exchange, failure: unknown): void {
  const { response, signal } = exchange;
  if (signal.aborted || response.destroyed) return;
  if (response.headersSent) return cutConnection(exchange, 'closed');
  if (failure instanceof WrongInput)
    return refuseAsMistake(exchange, 'invalid-request', failure.message);
  refuseAsMistake(exchange, 'server-error', `The simulator failed: ${String(failure)}`);
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
