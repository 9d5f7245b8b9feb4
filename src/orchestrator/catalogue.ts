// The catalogue of the orchestrator: categories, to which requests are delegated; skills, which give the reply its system
// prompt; and routing rules, which choose both by words. A configured category or skill replaces the default of its name;
// configured rules replace all default rules.

import type { Category, Decision, RoutingRule } from './decision.ts';
import { DEFAULT_CATEGORIES, DEFAULT_CATEGORY, DEFAULT_SKILLS } from './default-catalogue.ts';
import { DEFAULT_RULES } from './vocabulary/default-rules.ts';

export type Catalogue = {
  readonly categories: ReadonlyMap<string, Category>;
  /** System prompts by the name of the skill. */
  readonly skills: ReadonlyMap<string, string>;
  readonly rules: readonly RoutingRule[];
  /** The decision for a request that no rule matches. */
  readonly otherwise: Decision;
};

export type CatalogueSettings = {
  readonly categories: Readonly<Record<string, Partial<Category>>>;
  readonly skills: Readonly<Record<string, string>>;
  /** Undefined: the default rules. */
  readonly rules: Readonly<Record<string, RuleSettings>> | undefined;
  /** Undefined: the default category. */
  readonly defaultCategory: string | undefined;
};

export type RuleSettings = Decision & {
  readonly keywords: readonly string[];
  readonly hints?: readonly string[] | undefined;
  readonly exceptions?: readonly string[] | undefined;
};

export function buildCatalogue(settings: CatalogueSettings): Catalogue {
  const categories = new Map<string, Category>();
  for (const [name, given] of [
    ...Object.entries(DEFAULT_CATEGORIES),
    ...Object.entries(settings.categories),
  ]) {
    const known = categories.get(name);
    categories.set(name, {
      about: given.about ?? known?.about ?? name,
      model: given.model ?? known?.model,
      run: given.run ?? known?.run ?? 'now',
    });
  }
  return Object.freeze({
    categories,
    skills: new Map([...Object.entries(DEFAULT_SKILLS), ...Object.entries(settings.skills)]),
    rules: settings.rules ? Object.values(settings.rules).map(toRule) : DEFAULT_RULES,
    otherwise: { category: settings.defaultCategory ?? DEFAULT_CATEGORY, skills: [] },
  });
}

/** The first name that the catalogue does not define; undefined if every reference is valid. */
export function unknownReference(catalogue: Catalogue): string | undefined {
  for (const { category, skills } of [...catalogue.rules, catalogue.otherwise]) {
    if (!catalogue.categories.has(category)) return `category ${category}`;
    const skill = skills.find((name) => !catalogue.skills.has(name));
    if (skill !== undefined) return `skill ${skill}`;
  }
  return undefined;
}

/** The instructions of the decision's skills, in order; undefined without any. */
export function systemPromptOf(catalogue: Catalogue, { skills }: Decision): string | undefined {
  const prompts = skills.flatMap((name) => catalogue.skills.get(name) ?? []);
  return prompts.length === 0 ? undefined : prompts.join('\n\n');
}

function toRule({ category, skills, keywords, hints, exceptions }: RuleSettings): RoutingRule {
  return { category, skills, keywords, hints: hints ?? [], exceptions: exceptions ?? [] };
}
