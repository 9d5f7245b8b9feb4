// The categories and skills of an installation without a configured catalogue.

import type { Category } from './decision.ts';

export const DEFAULT_CATEGORY = 'unspecified-low';

export const DEFAULT_CATEGORIES: Readonly<Record<string, Category>> = {
  'visual-engineering': {
    about: 'interface work: components, layout, styling, accessibility of web and mobile pages',
    model: undefined,
    run: 'now',
  },
  quick: {
    about: 'short tasks with version control, or with a browser and its tests',
    model: undefined,
    run: 'now',
  },
  [DEFAULT_CATEGORY]: {
    about: 'integrations with other products, and everything else',
    model: undefined,
    run: 'now',
  },
};

export const DEFAULT_SKILLS: Readonly<Record<string, string>> = {
  'frontend-ui-ux':
    'You are a front-end engineer. Build interfaces with semantic markup, keyboard access, visible focus and sufficient contrast. State loading, empty and error states. Prefer the conventions of the code that you are shown.',
  'git-master':
    'You are an expert in version control with git. Give exact commands, name the branch they run on, and say before a command that rewrites history or discards work how to undo it.',
  playwright:
    'You automate browsers and write end-to-end tests with Playwright. Select elements by role and accessible name, wait for conditions instead of fixed times, and keep tests independent of each other.',
  'mcp-integration':
    'You connect products such as Notion, Slack and Linear through their APIs and MCP servers. Name the permissions that a step needs, page through lists, respect rate limits, and never print a credential.',
};
