// The default routing rules, in the order that decides a tie: the name of a product is a stronger sign than a word
// about versions, and a word about versions is stronger than a word about pages.

import type { RoutingRule } from '../decision.ts';
import { BROWSER_WORDS } from './browser-words.ts';
import { INTEGRATION_WORDS } from './integration-words.ts';
import { INTERFACE_WORDS } from './interface-words.ts';
import { VERSION_CONTROL_WORDS } from './version-control-words.ts';

export const DEFAULT_RULES: readonly RoutingRule[] = [
  { category: 'unspecified-low', skills: ['mcp-integration'], ...INTEGRATION_WORDS },
  { category: 'quick', skills: ['git-master'], ...VERSION_CONTROL_WORDS },
  { category: 'quick', skills: ['playwright'], ...BROWSER_WORDS },
  { category: 'visual-engineering', skills: ['frontend-ui-ux'], ...INTERFACE_WORDS },
];
