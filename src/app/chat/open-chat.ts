// Opens /api/chat: the catalogue from the configuration, the rules, the decision cache, the flow and its route. A catalogue
// that names an unknown category, skill or model fails the start.

import type { Config } from '../../config/config.ts';
import { createAnswerChat } from '../../flow/chat/answer-chat.ts';
import type { ChatMetrics } from '../../flow/chat/chat-parts.ts';
import type { ServeCallParts } from '../../flow/serve/serve-call.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { chatRoutes } from '../../http/routes/chat.ts';
import { newId } from '../../kernel/ids.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { buildCatalogue, type Catalogue, unknownReference } from '../../orchestrator/catalogue.ts';
import { DecisionCache } from '../../orchestrator/decision/decision-cache.ts';
import { createApplyRules } from '../../orchestrator/rules/apply-rules.ts';
import { StartFailure } from '../start-failure.ts';
import { decisionModelOf, replyModelOf } from './default-models.ts';

export type ChatContext = {
  readonly serve: ServeCallParts;
  readonly gate: Gate;
  readonly metrics: Metrics;
};

export function openChat(config: Config, { serve, gate, metrics }: ChatContext): RegisterRoutes {
  const { orchestrator } = config;
  const catalogue = buildCatalogue(config.orchestrator);
  const models = { decisionModel: decisionModelOf(config), replyModel: replyModelOf(config) };
  assertKnown(catalogue, [orchestrator.decisionModel, orchestrator.replyModel], serve);
  const applyRules = createApplyRules(catalogue.rules);
  const answerChat = createAnswerChat({
    serve,
    catalogue,
    applyRules,
    cache: new DecisionCache(serve.clock, applyRules),
    settings: { ...orchestrator, ...models },
    metrics: createChatMetrics(metrics),
    newId,
  });
  const { totalMs } = config.timeouts;
  return chatRoutes({ answerChat, gate, clock: serve.clock, maxDurationMs: 2 * totalMs });
}

function assertKnown(
  catalogue: Catalogue,
  configured: readonly (string | undefined)[],
  { resolveTargets }: ServeCallParts,
): void {
  const unknown = unknownReference(catalogue);
  if (unknown !== undefined)
    throw new StartFailure(
      `The section orchestrator names the ${unknown}, which it does not define.`,
    );
  const models = [...configured, ...[...catalogue.categories.values()].map(({ model }) => model)];
  for (const model of models)
    if (model !== undefined && resolveTargets(model).outcome === 'unknown_model')
      throw new StartFailure(
        `The section orchestrator names the model ${model}, which no provider serves and no alias has as its name.`,
      );
}

function createChatMetrics(metrics: Metrics): ChatMetrics {
  const decisions = metrics.counter(
    'chat.decision.count',
    'Chat requests, by the source of their decision and by category.',
    ['decided_by', 'category'],
  );
  return {
    decided(by, category) {
      decisions.cell(by, category).value += 1;
    },
  };
}
