// The kinds of the orchestrator's tables: categories, skills and routing rules. Names that refer to each other are checked
// when the gateway starts, because the defaults are not part of the configuration.

import { z } from 'zod';
import { mapOf } from './kind-list.ts';

const MAX_PROMPT_CHARACTERS = 20_000;
const MAX_WORDS = 1000;

const name = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);
const words = z.array(z.string().min(1).max(100)).max(MAX_WORDS);

const CATEGORY_RUNS = ['now', 'job'] as const;

export const categories = mapOf(
  z.strictObject({
    about: z.string().min(1).max(500).optional(),
    model: z
      .string()
      .regex(/^\S{1,256}$/)
      .optional(),
    run: z.enum(CATEGORY_RUNS).optional(),
  }),
  'a map of categories to about, model and run (now or job), such as {"quick":{"model":"openai/gpt-5-mini"}}',
);

export const skills = mapOf(
  z.string().min(1).max(MAX_PROMPT_CHARACTERS),
  'a map of skills to their system prompts, such as {"sql":"You write SQL for PostgreSQL."}',
);

export const routingRules = mapOf(
  z.strictObject({
    category: name,
    skills: z.array(name).max(4).default([]),
    keywords: words,
    hints: words.optional(),
    exceptions: words.optional(),
  }),
  'a map of rules to category, skills, keywords, hints and exceptions, such as {"sql":{"category":"quick","keywords":["query"]}}',
);
