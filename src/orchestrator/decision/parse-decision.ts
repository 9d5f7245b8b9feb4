// Reads the decision from a model's answer. The answer is untrusted, because the caller's message may have influenced
// it: only a category and skills of the catalogue are accepted, and everything else is no decision. Accepts the object
// alone, in a code fence or within a sentence.

import type { Catalogue } from '../catalogue.ts';
import type { Decision } from '../decision.ts';

const MAX_ANSWER_CHARACTERS = 8000;
const MAX_SKILLS = 4;

/** Undefined for an answer that is no decision. */
export function parseDecision(catalogue: Catalogue, text: string): Decision | undefined {
  const given = objectIn(text.slice(0, MAX_ANSWER_CHARACTERS));
  if (!given) return undefined;
  const { category } = given;
  if (typeof category !== 'string' || !catalogue.categories.has(category)) return undefined;
  const skills = skillsOf(given['skills'] ?? []);
  if (!skills || skills.some((name) => !catalogue.skills.has(name))) return undefined;
  return Object.freeze({ category, skills: Object.freeze(skills) });
}

function skillsOf(given: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const names = list.filter((name) => typeof name === 'string');
  if (names.length !== list.length || names.length > MAX_SKILLS) return undefined;
  return [...new Set(names)];
}

/** The object between the first opening and the last closing brace. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (start < 0 || end <= start) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
