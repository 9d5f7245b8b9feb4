// The dependencies and the settings of chat requests.

import type { NewId } from '../../kernel/ids.ts';
import type { Catalogue } from '../../orchestrator/catalogue.ts';
import type { DecisionCache } from '../../orchestrator/decision/decision-cache.ts';
import type { DecidedBy } from '../../orchestrator/decision.ts';
import type { ApplyRules } from '../../orchestrator/rules/apply-rules.ts';
import type { ServeCallParts } from '../serve/serve-call.ts';

export type ChatParts = {
  readonly serve: ServeCallParts;
  readonly catalogue: Catalogue;
  readonly applyRules: ApplyRules;
  readonly cache: DecisionCache;
  readonly settings: ChatSettings;
  readonly metrics: ChatMetrics;
  readonly newId: NewId;
};

export type ChatSettings = {
  /** A model or an alias. */
  readonly decisionModel: string;
  /** The model of categories without their own. */
  readonly replyModel: string;
  readonly decisionTimeoutMs: number;
  readonly maxReplyTokens: number;
};

export type ChatMetrics = { decided(by: DecidedBy, category: string): void };
