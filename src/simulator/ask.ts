// What a request asks for, in words that are no provider's. A reader per dialect makes it, the answers are
// composed from it, and a format per dialect writes the answer out again.

export type Dialect = 'anthropic' | 'openai' | 'gemini';

export const OPERATIONS = [
  'messages',
  'count_tokens',
  'chat_completions',
  'responses',
  'embeddings',
  'generate_content',
  'models',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export type OfferedTool = { readonly name: string; readonly schema: unknown };

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'named'; readonly name: string };

export type Ask = {
  readonly model: string;
  readonly isStream: boolean;
  readonly inputTokens: number;
  /** Tokens up to the last cache marker; 0 when the request marks nothing. */
  readonly markedTokens: number;
  /** Identifies the marked prefix, so that a second request with it is a cache hit. */
  readonly markedPrefix: string;
  /** Whether this dialect caches long prompts without being told. */
  readonly cachesByItself: boolean;
  /** What the person said last. */
  readonly prompt: string;
  readonly maxOutputTokens: number | undefined;
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  readonly endsWithToolResult: boolean;
  readonly wantsThinking: boolean;
  /** Set when the answer must be JSON of this schema. */
  readonly outputSchema: unknown;
  readonly stopSequences: readonly string[];
  /** OpenAI sends the usage of a stream only when asked. */
  readonly wantsStreamUsage: boolean;
};

/** A request that the provider itself would refuse; `field` is where. */
export type Misread = { readonly message: string; readonly field: string | undefined };

export type ReadResult<T = Ask> =
  | { readonly ask: T; readonly misread?: undefined }
  | { readonly ask?: undefined; readonly misread: Misread };

export function misread(message: string, field?: string): { readonly misread: Misread } {
  return { misread: { message, field } };
}

/** A tool is called when it is forced, or when the person names it; a tool's result is answered in words. */
export function toolsToCall(ask: Ask): readonly OfferedTool[] {
  const { toolChoice, tools } = ask;
  if (toolChoice.kind === 'none' || tools.length === 0) return [];
  if (toolChoice.kind === 'named') return tools.filter((tool) => tool.name === toolChoice.name);
  const named = ask.endsWithToolResult
    ? []
    : tools.filter((tool) => isNamed(ask.prompt, tool.name));
  if (named.length > 0) return named;
  return toolChoice.kind === 'any' ? tools.slice(0, 1) : [];
}

function isNamed(prompt: string, name: string): boolean {
  return words(prompt).includes(words(name));
}

function words(text: string): string {
  return text.toLowerCase().replaceAll('_', ' ').replaceAll('-', ' ');
}
