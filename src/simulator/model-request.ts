// A request in provider-independent terms. A reader per dialect builds it, answers are composed from it, and
// a format per dialect serializes the answer.

export type Dialect = 'anthropic' | 'openai' | 'gemini';

export const OPERATIONS = [
  'messages',
  'count_tokens',
  'chat_completions',
  'responses',
  'compact',
  'embeddings',
  'generate_content',
  'models',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export type OfferedTool = { readonly name: string; readonly schema: unknown };

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'named'; readonly name: string };

export type ModelRequest = {
  readonly model: string;
  readonly isStream: boolean;
  readonly inputTokens: number;
  /** Tokens up to the last cache marker; 0 without a marker. */
  readonly markedTokens: number;
  /** Identifies the marked prefix, so that a second request with it is a cache hit. */
  readonly markedPrefix: string;
  /** Whether this dialect caches long prompts automatically. */
  readonly cachesByItself: boolean;
  /** The last user message. */
  readonly prompt: string;
  readonly maxOutputTokens: number | undefined;
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  readonly endsWithToolResult: boolean;
  readonly wantsThinking: boolean;
  /** Set if the answer must be JSON of this schema. */
  readonly outputSchema: unknown;
  readonly stopSequences: readonly string[];
  /** OpenAI sends the usage of a stream only if the request asks for it. */
  readonly wantsStreamUsage: boolean;
};

/** A request that the provider would reject; `field` names the invalid part. */
export type Rejection = { readonly message: string; readonly field: string | undefined };

export type ReadResult<T = ModelRequest> =
  | { readonly request: T; readonly rejection?: undefined }
  | { readonly request?: undefined; readonly rejection: Rejection };

export function reject(message: string, field?: string): { readonly rejection: Rejection } {
  return { rejection: { message, field } };
}

/** A tool is called if it is forced or if the prompt names it; a tool result is answered with text. */
export function toolsToCall(request: ModelRequest): readonly OfferedTool[] {
  const { toolChoice, tools } = request;
  if (toolChoice.kind === 'none' || tools.length === 0) return [];
  if (toolChoice.kind === 'named') return tools.filter((tool) => tool.name === toolChoice.name);
  const named = request.endsWithToolResult
    ? []
    : tools.filter((tool) => isNamed(request.prompt, tool.name));
  if (named.length > 0) return named;
  return toolChoice.kind === 'any' ? tools.slice(0, 1) : [];
}

function isNamed(prompt: string, name: string): boolean {
  return words(prompt).includes(words(name));
}

function words(text: string): string {
  return text.toLowerCase().replaceAll('_', ' ').replaceAll('-', ' ');
}
