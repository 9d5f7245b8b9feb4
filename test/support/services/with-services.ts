// Wraps a test run: starts the services, runs the tests, and stops the services in any case. For the test runner; a
// test that kills servers starts its own (start-services.ts).

import { setTimeout as delay } from 'node:timers/promises';
import { type Environment, type Log, WANTED_NAMES, type WantedName } from './service-catalogue.ts';
import type { Services } from './services.ts';
import { startServices } from './start-services.ts';
import { listenForStop, StopReason } from './stop-request.ts';

export type WithServicesOptions = {
  wanted?: readonly WantedName[];
  log?: Log;
  /** Set if this process is a child of the command that the user started: it ends when its parent ends. */
  parentPid?: number;
};

/** The signal asks the run to end and leaves it a grace period. Resolves to its exit code. */
export type Run = (env: Record<string, string | undefined>, signal: AbortSignal) => Promise<number>;

const GRACE_MS = 5_000;

export async function withServices(
  env: Environment,
  run: Run,
  { wanted = WANTED_NAMES, log = console.error, parentPid }: WithServicesOptions = {},
): Promise<number> {
  const stop = listenForStop(log, parentPid);
  let services: Services | undefined;
  try {
    services = await startServices({ env, log, wanted, signal: stop.signal });
    const running = run({ ...env, ...services.environment() }, stop.signal);
    return await Promise.race([running, stoppedFor(stop.signal)]);
  } catch (error) {
    if (!(stop.signal.reason instanceof StopReason)) throw error;
    return stop.signal.reason.exitCode;
  } finally {
    await services?.close();
    stop.release();
  }
}

/** Rejects a grace period after the stop request, so that a run that reacts to it can end normally. */
async function stoppedFor(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await delay(GRACE_MS, undefined, { ref: false });
  throw signal.reason;
}
