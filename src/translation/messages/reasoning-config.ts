// The neutral reasoning settings → Anthropic's `thinking` and `output_config`. Claude 4.6 and later think adaptively,
// with a level of effort, and the newest refuse a budget; earlier models accept only budgets.

import { budgetOf, effortOf } from '../effort.ts';
import { defined } from '../fields.ts';
import type { Effort, JsonObject, NeutralRequest, TurnPart } from '../neutral-request.ts';

/** The smallest budget that Anthropic accepts. */
const MIN_BUDGET = 1024;

/** Names of the models before 4.6: `claude-3-7-sonnet…`, `claude-sonnet-4-20250514`, `claude-opus-4-5…`. */
const NEEDS_BUDGET = /claude-(?:[23]|instant|[a-z]+-4(?:$|@|-(?:[0-5]|\d{8})(?!\d)))/;

export function writeReasoning(request: NeutralRequest, maxTokens: number): JsonObject {
  const { reasoning, outputFormat, model } = request;
  const level = reasoning && levelOf(reasoning);
  const isAdaptive = !NEEDS_BUDGET.test(model);
  const canLeaveLevel = isAdaptive && reasoning?.isShown === true;
  const isWanted = level === undefined ? canLeaveLevel : level !== 'none';
  const isThinking = isWanted && canThink(request);
  const config = defined({
    effort: isThinking && isAdaptive && level ? EFFORT_NAMES[level] : undefined,
    format: outputFormat?.kind === 'json_schema' ? formatOf(outputFormat.schema) : undefined,
  });
  return {
    thinking:
      level === 'none'
        ? { type: 'disabled' }
        : isThinking
          ? thinking(request, level, isAdaptive, maxTokens)
          : undefined,
    output_config: Object.keys(config).length === 0 ? undefined : config,
  };
}

function levelOf({ effort, budgetTokens }: NonNullable<NeutralRequest['reasoning']>) {
  return effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
}

const EFFORT_NAMES: Readonly<Record<Effort, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** The default depends on the model. */
function displayOf(isShown: boolean | undefined): string | undefined {
  if (isShown === undefined) return undefined;
  return isShown ? 'summarized' : 'omitted';
}

/** The budget must be smaller than the maximum of the whole output. */
function thinking(
  { reasoning }: NeutralRequest,
  level: Effort | undefined,
  isAdaptive: boolean,
  maxTokens: number,
): JsonObject | undefined {
  if (isAdaptive) return defined({ type: 'adaptive', display: displayOf(reasoning?.isShown) });
  const wanted = reasoning?.budgetTokens ?? (level ? budgetOf(level) : MIN_BUDGET);
  const budget = Math.min(Math.max(wanted, MIN_BUDGET), maxTokens - 1);
  return budget < MIN_BUDGET ? undefined : { type: 'enabled', budget_tokens: budget };
}

/**
 * Anthropic refuses thinking with a forced tool, and in the answer to tool calls of a turn without a thought: another
 * vendor produced that turn, or the client lost the thought.
 */
function canThink({ toolChoice, turns }: NeutralRequest): boolean {
  if (toolChoice?.kind === 'required' || toolChoice?.kind === 'tool') return false;
  const isAnswer = turns.at(-1)?.parts.some(({ kind }) => kind === 'tool_result') ?? false;
  const asked = turns.findLast(({ role }) => role === 'assistant');
  return !isAnswer || (asked?.parts.some(isOwnThought) ?? true);
}

function isOwnThought(part: TurnPart): boolean {
  return part.kind === 'reasoning' && part.signature?.vendor === 'messages';
}

function formatOf(schema: JsonObject): JsonObject {
  return { type: 'json_schema', schema };
}
