// A request of any wire format in one neutral form: the middle of every translation. A reader per format produces it
// and a writer per format consumes it, so that n formats need 2n functions and not n². It has the features of a request
// that at least two formats can express; a field that a writer cannot express goes to the `Losses`.

export type NeutralRequest = {
  /** The provider's name for the model. */
  readonly model: string;
  readonly isStream: boolean;
  /** Instructions, in order. */
  readonly system: readonly TextPart[];
  /** User and assistant need not alternate; writers merge where their format demands it. */
  readonly turns: readonly Turn[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice | undefined;
  /** Undefined: the format's default, which is true everywhere. */
  readonly allowsParallelCalls: boolean | undefined;
  /**
   * Undefined if the caller's format makes it optional and the caller omits it; a writer of a format that requires it
   * uses the model's maximum.
   */
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly stopSequences: readonly string[];
  readonly reasoning: ReasoningRequest | undefined;
  readonly outputFormat: OutputFormat | undefined;
};

/** A message as a format has it: a turn, or instructions among the turns. */
export type MessageRead = { readonly system: readonly TextPart[] } | { readonly turn: Turn };

export type Turn = { readonly role: 'user' | 'assistant'; readonly parts: readonly TurnPart[] };

export type TurnPart =
  | TextPart
  | MediaPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  /** The model declined in its own words (Chat Completions and Responses have a field for it). */
  | RefusalPart;

export type TextPart = { readonly kind: 'text'; readonly text: string };

export type RefusalPart = { readonly kind: 'refusal'; readonly text: string };

/** An image or a document. The media type of a URL may be unknown. */
export type MediaPart = {
  readonly kind: 'image' | 'document';
  readonly source: MediaSource;
  /** A document's file name or title. */
  readonly name?: string | undefined;
  /** OpenAI's resolution of an image; a hint. */
  readonly detail?: string | undefined;
};

export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string | undefined };

export type ToolCallPart = {
  readonly kind: 'tool_call';
  /** Unique within the request; readers of formats without ids derive them from positions. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
};

export type ToolResultPart = {
  readonly kind: 'tool_result';
  readonly callId: string;
  /** Gemini names the function instead of the call. */
  readonly name: string | undefined;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
};

/**
 * A model's thoughts. The text may be empty where a vendor sends only the encrypted form. Gemini attaches the proof of
 * a thought to the text or call that follows it: the neutral form has it as a thought without text before that part.
 */
export type ReasoningPart = {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly signature: Signature | undefined;
  /** Encrypted as a whole: there is no text to show. */
  readonly isRedacted: boolean;
};

/** Opaque proof of a thought, valid only at the vendor that made it. See signature.ts. */
export type Signature = { readonly vendor: DialectName; readonly data: string };

export type ToolDefinition = {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema of the arguments; undefined for a tool without any. */
  readonly parameters: JsonObject | undefined;
  /** OpenAI's and Anthropic's guarantee that calls match the schema. */
  readonly isStrict: boolean | undefined;
};

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'tool'; readonly name: string };

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export type ReasoningRequest = {
  /** Formats with levels and formats with budgets are mapped onto each other by effort.ts. */
  readonly effort: Effort | undefined;
  readonly budgetTokens: number | undefined;
  /** The caller wants to see the thoughts or a summary of them; undefined if its format has no field for that. */
  readonly isShown: boolean | undefined;
};

export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json_schema';
      readonly name: string | undefined;
      readonly schema: JsonObject;
      readonly isStrict: boolean | undefined;
    };

export type JsonObject = { readonly [name: string]: unknown };

/** The formats between which Spillway translates. */
export const DIALECTS = ['messages', 'chat', 'responses', 'generate'] as const;
export type DialectName = (typeof DIALECTS)[number];

export function instructionsIn(messages: readonly MessageRead[]): readonly TextPart[] {
  return messages.flatMap((message) => ('system' in message ? message.system : []));
}

export function turnsIn(messages: readonly MessageRead[]): readonly Turn[] {
  return messages.flatMap((message) => ('turn' in message ? [message.turn] : []));
}
