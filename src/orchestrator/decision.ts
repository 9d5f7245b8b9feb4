// The outcome of routing a request: its category and its skills, and the source of the decision.

export type Decision = {
  readonly category: string;
  readonly skills: readonly string[];
};

/** The deciding model, its decision on nearly the same request before, or the routing rules. */
export const DECIDED_BY = ['ai', 'cache', 'rules'] as const;
export type DecidedBy = (typeof DECIDED_BY)[number];

export type Category = {
  /** For the deciding model: the work that belongs to the category. */
  readonly about: string;
  /** The model or alias that replies; undefined: the default chain. */
  readonly model: string | undefined;
  readonly run: 'now' | 'job';
};

/**
 * Chooses a decision by words. A keyword decides by itself, a hint only together with another one. `=word` matches without
 * inflections, `^Word` only with a capital letter, `word*` every word that begins so; several words match in sequence. `word!`
 * weighs more than other keywords.
 */
export type RoutingRule = Decision & {
  readonly keywords: readonly string[];
  readonly hints: readonly string[];
  /** Phrases in lower case that do not count as words: "linear algebra", or, beside other words, "branch + tree|bank". */
  readonly exceptions: readonly string[];
};

export function isSameDecision(one: Decision, other: Decision): boolean {
  return one.category === other.category && one.skills.join('\n') === other.skills.join('\n');
}
