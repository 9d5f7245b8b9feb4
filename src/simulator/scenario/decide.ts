// Selects the scenario for a request: the one in its header, else the most specific active scenario that is
// not exhausted (key before model before operation before provider before all), else the healthy default.

import type { Clock } from '../../kernel/clock.ts';
import type { SlidingWindow } from './rate-limit.ts';
import type { RequestScope } from './rule.ts';
import { Rule } from './rule.ts';
import type { Scenario } from './scenario.ts';
import { parseScenario, parseScenarioHeader } from './scenario.ts';

export type Decision = {
  readonly scenario: Scenario;
  /** The name of the scenario in the truth log. */
  readonly label: string;
  readonly window: SlidingWindow | undefined;
};

const HEALTHY: Decision = Object.freeze({ scenario: {}, label: 'default', window: undefined });

export class Decider {
  readonly #clock: Clock;
  #rules: readonly Rule[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A list replaces all scenarios; a single scenario replaces its predecessor with the same scope. */
  set(input: unknown): void {
    if (Array.isArray(input)) {
      this.#rules = inOrder(input.map((item) => this.#rule(item)));
      return;
    }
    const rule = this.#rule(input);
    const others = this.#rules.filter((other) => scopeOf(other) !== scopeOf(rule));
    this.#rules = inOrder([...others, rule]);
  }

  reset(): void {
    this.#rules = [];
  }

  /** The active scenarios, most specific first, without secrets. */
  list(): readonly Scenario[] {
    return this.#rules.map(({ scenario }) =>
      scenario.secret === undefined ? scenario : { ...scenario, secret: '[set]' },
    );
  }

  decide(scope: RequestScope, header: string | undefined): Decision {
    if (header !== undefined) return this.#once(parseScenarioHeader(header), scope);
    for (const rule of this.#rules) {
      if (!rule.matches(scope)) continue;
      const scenario = rule.take();
      if (scenario)
        return { scenario, label: labelOf(scenario), window: rule.window(scenario, scope) };
    }
    return HEALTHY;
  }

  /** A rate limit in a header would start empty for each request, so it is dropped. */
  #once(parsed: Scenario, scope: RequestScope): Decision {
    const rule = new Rule(parsed, this.#clock);
    const scenario = rule.take() ?? parsed;
    return { scenario, label: labelOf(scenario), window: rule.window(scenario, scope) };
  }

  #rule(input: unknown): Rule {
    return new Rule(parseScenario(input), this.#clock);
  }
}

function inOrder(rules: readonly Rule[]): readonly Rule[] {
  return [...rules].sort((one, other) => weight(other.scenario) - weight(one.scenario));
}

function weight({ keyHash, model, operation, provider }: Scenario): number {
  return (
    (keyHash === undefined ? 0 : 8) +
    (model === undefined ? 0 : 4) +
    (operation === undefined ? 0 : 2) +
    (provider === undefined ? 0 : 1)
  );
}

function scopeOf({ scenario }: Rule): string {
  const { provider, model, keyHash, operation } = scenario;
  return JSON.stringify([provider, model, keyHash, operation]);
}

function labelOf(scenario: Scenario): string {
  if (scenario.preset !== undefined) return scenario.preset;
  return scenario.fault === undefined || scenario.fault === 'none' ? 'custom' : scenario.fault;
}
