// The models of the orchestrator where the configuration names none: a small one decides, and the default models of all
// providers with a key reply, as a chain in the order of the configuration.

import type { AliasConfig, Config, ProviderConfig } from '../../config/config.ts';

/** The alias of the default chain. A configured alias of this name replaces it. */
const REPLY_ALIAS = 'orchestrator/reply';

const SMALL_MODELS: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'claude-haiku-4-5'],
  ['openai', 'gpt-4.1-mini'],
  ['gemini', 'gemini-2.5-flash-lite'],
]);

export function decisionModelOf({ orchestrator, providers }: Config): string {
  if (orchestrator.decisionModel !== undefined) return orchestrator.decisionModel;
  const [first] = Object.values(providers).filter(isUsable);
  if (!first) return `anthropic/${SMALL_MODELS.get('anthropic')}`;
  return `${first.name}/${SMALL_MODELS.get(first.name) ?? first.defaultModel}`;
}

export function replyModelOf({ orchestrator }: Config): string {
  return orchestrator.replyModel ?? REPLY_ALIAS;
}

/** Empty without a provider that could reply. */
export function chatAliases({ providers, aliases }: Config): readonly AliasConfig[] {
  const targets = Object.values(providers)
    .filter(isUsable)
    .flatMap(({ name, defaultModel }) =>
      defaultModel === undefined ? [] : [{ provider: name, model: defaultModel }],
    );
  if (targets.length === 0 || aliases[REPLY_ALIAS]) return [];
  return [
    {
      name: REPLY_ALIAS,
      strategy: 'ordered',
      targets,
      weights: undefined,
      fallbacks: [],
      translate: 'lenient',
    },
  ];
}

function isUsable({ hasKey, defaultModel }: ProviderConfig): boolean {
  return hasKey && defaultModel !== undefined;
}
