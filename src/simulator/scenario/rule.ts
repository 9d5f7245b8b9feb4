// One active scenario: its scope, its remaining uses and its own rate limits. States: active → exhausted. A
// sequence is a list of steps, each with its own count; the last exhausted step ends the rule, or restarts it
// under `repeat`.

import type { Clock } from '../../kernel/clock.ts';
import type { Operation } from '../model-request.ts';
import { seededRandom } from './random.ts';
import { SlidingWindow } from './rate-limit.ts';
import type { Scenario, StatedFault } from './scenario.ts';

export type RequestScope = {
  readonly provider: string;
  readonly operation: Operation;
  readonly model: string;
  readonly credentialHash: string | null;
};

type Step = { readonly scenario: Scenario; remaining: number };

export class Rule {
  readonly scenario: Scenario;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #windows = new Map<string, SlidingWindow>();
  #steps: Step[];
  #current = 0;

  constructor(scenario: Scenario, clock: Clock) {
    this.scenario = fixReset(scenario, clock.now());
    this.#clock = clock;
    this.#random = scenario.seed === undefined ? () => clock.random() : seededRandom(scenario.seed);
    this.#steps = stepsOf(this.scenario, clock.now());
  }

  matches(scope: RequestScope): boolean {
    const { provider, model, keyHash, operation } = this.scenario;
    if (provider !== undefined && provider !== scope.provider) return false;
    if (model !== undefined && model !== scope.model) return false;
    if (keyHash !== undefined && keyHash !== scope.credentialHash) return false;
    return operation === undefined || operation === scope.operation;
  }

  /** The scenario for the next request; undefined if the rule is exhausted. */
  take(): Scenario | undefined {
    const step = this.#nextStep();
    if (!step) return undefined;
    step.remaining -= 1;
    return this.#withFault(step.scenario);
  }

  /** Limits are kept per provider and key, which is the scope of the providers' limits. */
  window(scenario: Scenario, scope: RequestScope): SlidingWindow | undefined {
    if (!scenario.rateLimit) return undefined;
    const name = `${scope.provider} ${scope.credentialHash}`;
    const known = this.#windows.get(name);
    if (known) return known;
    const made = new SlidingWindow(scenario.rateLimit);
    this.#windows.set(name, made);
    return made;
  }

  #nextStep(): Step | undefined {
    while (this.#steps[this.#current]?.remaining === 0) this.#current += 1;
    if (this.#current < this.#steps.length) return this.#steps[this.#current];
    if (!this.scenario.repeat) return undefined;
    this.#steps = stepsOf(this.scenario, this.#clock.now());
    this.#current = 0;
    return this.#steps[0];
  }

  /** Draws whether a random fault applies, and ends a fault at its reset. */
  #withFault(scenario: Scenario): Scenario {
    const { fault, probability, resetAt, errorRates } = scenario;
    if (errorRates) return this.#drawError(scenario, errorRates);
    if (fault === undefined || fault === 'none') return scenario;
    const isOver = resetAt !== undefined && this.#clock.now() >= resetAt;
    const isSpared = probability !== undefined && this.#random() >= probability;
    return isOver || isSpared ? { ...scenario, fault: 'none' } : scenario;
  }

  #drawError(scenario: Scenario, rates: Readonly<Record<string, number>>): Scenario {
    let dice = this.#random();
    for (const [status, rate] of Object.entries(rates)) {
      if (dice < rate)
        return { ...scenario, fault: faultOf(Number(status)), status: Number(status) };
      dice -= rate;
    }
    return scenario;
  }
}

function stepsOf(scenario: Scenario, now: number): Step[] {
  const { sequence, times, repeat: _, ...base } = scenario;
  if (!sequence) return [{ scenario, remaining: times ?? Number.POSITIVE_INFINITY }];
  return sequence.map((step) => ({
    scenario: fixReset({ ...base, ...step }, now),
    remaining: step.times ?? 1,
  }));
}

/** A relative reset becomes absolute when the scenario is set, on a whole second as on the wire. */
function fixReset(scenario: Scenario, now: number): Scenario {
  const { resetInSeconds, resetAt, ...rest } = scenario;
  const at = resetAt ?? (resetInSeconds === undefined ? undefined : now + resetInSeconds * 1000);
  return at === undefined ? rest : { ...rest, resetAt: Math.ceil(at / 1000) * 1000 };
}

const FAULTS_BY_STATUS: ReadonlyMap<number, StatedFault> = new Map<number, StatedFault>([
  [400, 'invalid-request'],
  [401, 'credentials-refused'],
  [403, 'forbidden'],
  [404, 'model-not-found'],
  [413, 'too-large'],
  [429, 'rate-limit'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);

function faultOf(status: number): StatedFault {
  return FAULTS_BY_STATUS.get(status) ?? (status < 500 ? 'invalid-request' : 'server-error');
}
