// The words of a default rule; see RoutingRule for their syntax.

import type { RoutingRule } from '../decision.ts';

export type RuleWords = Pick<RoutingRule, 'keywords' | 'hints' | 'exceptions'>;

/** Words separated by commas, over several lines. */
export function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim().replaceAll(/\s+/g, ' '))
    .filter((word) => word !== '');
}
