// Stops calling a dependency that fails, and probes it later. The state machine is circuit-breaker.ts one folder up; this
// file asks it for a pass before each operation and reports the outcome after it. A dependency that announces a limit with
// its end is not called until then.
//
// The circuit is in this process, or on a board that several processes share (`openRedis`). A board that cannot be reached
// decides by the counts of this process.

import { SpillwayError } from '../../errors/spillway-error.ts';
import { type Clock, foregroundClock } from '../../kernel/clock.ts';
import type {
  BreakerAnswer,
  BreakerBoard,
  BreakerState,
  CallHealth,
  CircuitTransition,
} from '../breaker-board.ts';
import { BREAKER_DEFAULTS, type BreakerRules } from '../circuit-breaker.ts';
import { type CircuitKey, isSameCircuit } from '../circuit-key.ts';
import { LocalCircuit } from '../local-circuit.ts';
import { healthOf } from '../retry-elsewhere.ts';
import { checkNumbers } from './checked-options.ts';
import { attempt, type Policy } from './policy.ts';
import { type ReadError, readFailure } from './read-failure.ts';

/**
 * The options of `circuitBreaker`: the rules of a circuit in this process, or a shared board and the key of the circuit.
 *
 * @example
 * import type { CircuitBreakerOptions } from 'spillway/resilience';
 *
 * export const options: CircuitBreakerOptions = { failures: 5, windowMs: 30_000, openMs: 10_000 };
 */
export type CircuitBreakerOptions = (OwnCircuitOptions | SharedCircuitOptions) & {
  readonly readError?: ReadError;
  /** Whether an outcome counts against the dependency; the error is undefined after a success. */
  readonly healthOf?: (error: SpillwayError | undefined) => CallHealth;
  readonly clock?: Clock;
};

/**
 * A circuit of this process.
 *
 * @example
 * import type { OwnCircuitOptions } from 'spillway/resilience';
 *
 * export const own: OwnCircuitOptions = { failures: 3, onTransition: ({ to }) => console.log(`the circuit is ${to}`) };
 */
export type OwnCircuitOptions = Partial<BreakerRules> & {
  /** The longest duration of a call: a probe that has not ended by then is given to the next call. 60 s by default. */
  readonly probeMs?: number;
  readonly onTransition?: (transition: CircuitTransition) => void;
  readonly board?: undefined;
};

/**
 * A circuit that processes share: rules and listeners belong to the board.
 *
 * @example
 * import { openMemory } from 'spillway/adapters/memory';
 * import { circuitBreaker, type SharedCircuitOptions } from 'spillway/resilience';
 *
 * const { breakers: board, close } = await openMemory();
 * const shared: SharedCircuitOptions = { board, key: { provider: 'search', region: 'eu' } };
 * console.log(await circuitBreaker(shared).state());
 * await close();
 */
export type SharedCircuitOptions = {
  readonly board: Pick<BreakerBoard, 'requestPass' | 'report' | 'limitUntil' | 'reset' | 'list'>;
  readonly key: CircuitKey;
};

/**
 * A policy with the state of its circuit.
 *
 * @example
 * import { type CircuitBreaker, circuitBreaker } from 'spillway/resilience';
 *
 * const breaker: CircuitBreaker = circuitBreaker();
 * if ((await breaker.state()) === 'open') await breaker.reset();
 */
export type CircuitBreaker = Policy & {
  state(): Promise<BreakerState>;
  /** Refuses calls until this timestamp, epoch milliseconds; then one probe goes first. */
  limitUntil(resetAt: number): Promise<void>;
  /** Closes the circuit and clears its counts. */
  reset(): Promise<void>;
};

/**
 * After `failures` failures within `windowMs`, if they are at least `ratio` of the calls, the circuit opens: calls are
 * refused with PROVIDER_UNAVAILABLE (`reason: 'circuit_open'`) for `openMs`. Then one probe at a time is let through, and
 * `successesToClose` successful ones close the circuit. Mistakes of the caller and throttles do not count. An error
 * AI_LIMIT_REACHED with a reset opens the circuit until the reset.
 *
 * @example
 * import { circuitBreaker } from 'spillway/resilience';
 *
 * const breaker = circuitBreaker({ failures: 5, openMs: 10_000 });
 * console.log((await breaker((signal) => fetch('http://127.0.0.1:8787/health', { signal }))).status);
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { clock = foregroundClock, readError = readFailure, healthOf: judge = healthOf } = options;
  const circuit = options.board === undefined ? ownCircuit(options, clock) : shared(options);

  async function learn(error: SpillwayError): Promise<void> {
    const { code, resetAt, retryAfterMs } = error;
    if (code !== 'AI_LIMIT_REACHED') return;
    const until = resetAt ?? (retryAfterMs === undefined ? undefined : clock.now() + retryAfterMs);
    if (until !== undefined) await circuit.limitUntil(until);
  }

  const policy: Policy = async (operation, signal) => {
    signal?.throwIfAborted();
    const answer = await circuit.requestPass();
    if (!answer.isAllowed) throw refusal(answer, clock.now());
    try {
      const result = await attempt(operation, signal);
      circuit.report(answer.pass, judge(undefined));
      return result;
    } catch (thrown) {
      const error = readError(thrown, clock.now());
      circuit.report(answer.pass, signal?.aborted ? 'neutral' : judge(error));
      await learn(error);
      throw thrown;
    }
  };
  return Object.assign(policy, {
    state: () => circuit.state(),
    limitUntil: (resetAt: number) => circuit.limitUntil(resetAt),
    reset: () => circuit.reset(),
  });
}

type AskedCircuit = {
  requestPass(): Promise<BreakerAnswer>;
  report: BreakerBoard['report'];
  state(): Promise<BreakerState>;
  limitUntil(resetAt: number): Promise<void>;
  reset(): Promise<void>;
};

const DEFAULT_PROBE_MS = 60_000;

function ownCircuit(options: OwnCircuitOptions, clock: Clock): AskedCircuit {
  checkNumbers('circuitBreaker', options, RULES);
  const { probeMs: leaseMs = DEFAULT_PROBE_MS, onTransition = () => {} } = options;
  const circuit = new LocalCircuit({
    key: OWN_KEY,
    rules: rulesOf(options),
    leaseMs,
    onTransition,
  });
  let probes = 0;
  const newProbeId = () => String((probes += 1));
  const now = () => clock.monotonic();
  return {
    requestPass: async () => circuit.requestPass(newProbeId, now()),
    report(pass, health) {
      circuit.count(health, now());
      circuit.decide(pass, health, now());
    },
    state: async () => circuit.view(now(), 0).state,
    limitUntil: async (resetAt) => circuit.limit(now() + resetAt - clock.now(), now()),
    reset: async () => circuit.reset(now()),
  };
}

function shared({ board, key }: SharedCircuitOptions): AskedCircuit {
  return {
    requestPass: () => new Promise((resolve) => board.requestPass(key, resolve)),
    report: (pass, health) => board.report(pass, health),
    async state() {
      const views = await board.list();
      return views.find((view) => isSameCircuit(view.key, key))?.state ?? 'closed';
    },
    limitUntil: (resetAt) => board.limitUntil(key, resetAt),
    reset: () => board.reset(key),
  };
}

function rulesOf({ failures, windowMs, ratio, openMs, successesToClose }: OwnCircuitOptions) {
  return {
    failures: failures ?? BREAKER_DEFAULTS.failures,
    windowMs: windowMs ?? BREAKER_DEFAULTS.windowMs,
    ratio: ratio ?? BREAKER_DEFAULTS.ratio,
    openMs: openMs ?? BREAKER_DEFAULTS.openMs,
    successesToClose: successesToClose ?? BREAKER_DEFAULTS.successesToClose,
  };
}

const OWN_KEY: CircuitKey = Object.freeze({ provider: 'own', region: 'own' });

const COUNT = { min: 1, isWhole: true };
const DURATION = { min: 1 };
const RULES = {
  failures: COUNT,
  successesToClose: COUNT,
  windowMs: DURATION,
  openMs: DURATION,
  probeMs: DURATION,
  ratio: { min: 0, max: 1 },
};

function refusal(
  { cause, retryAfterMs }: Extract<BreakerAnswer, { isAllowed: false }>,
  now: number,
): SpillwayError {
  const resetAt = now + retryAfterMs;
  return cause === 'limit'
    ? new SpillwayError('AI_LIMIT_REACHED', 'the dependency has announced a limit', {
        params: { resetTime: resetAt },
        resetAt,
      })
    : new SpillwayError('PROVIDER_UNAVAILABLE', 'the circuit is open', {
        params: { reason: 'circuit_open', retryAfterMs },
        retryAfterMs,
      });
}
