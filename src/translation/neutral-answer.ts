// An answer of any wire format in one neutral form: whole, and as the events of a stream. A stream's events have a fixed
// grammar, which writers rely on:
//
//   start (part_start delta* part_end)* end
//
// Parts do not overlap: a reader whose format interleaves them (parallel tool calls of Chat Completions) holds the later
// part back until the earlier one has ended. A reader that finds no such order throws, and the stream fails.

import type { ReasoningPart, RefusalPart, TextPart, ToolCallPart } from './neutral-request.ts';

export type AnswerPart = TextPart | RefusalPart | ToolCallPart | ReasoningPart;

export type NeutralAnswer = {
  /** Without the prefix of a vendor; writers add theirs. */
  readonly id: string;
  /** The model that the caller asked for: callers never see the name of another vendor's model. */
  readonly model: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly parts: readonly AnswerPart[];
  readonly stop: Stop;
  readonly usage: NeutralUsage;
};

export type Stop = {
  readonly reason: StopReason;
  /** The matched sequence, where the provider states it. */
  readonly sequence?: string | undefined;
};

/**
 * `end`: the model had finished. `filtered`: a safety system ended the answer. `paused`: the provider expects a request
 * to continue.
 */
export type StopReason =
  | 'end'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_calls'
  | 'refusal'
  | 'filtered'
  | 'context_window'
  | 'paused';

/** `input` excludes cached tokens; `output` includes reasoning. */
export type NeutralUsage = {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

export const NO_TOKENS: NeutralUsage = Object.freeze({
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
});

export type NeutralEvent =
  | {
      readonly kind: 'start';
      readonly id: string;
      readonly createdAt: number;
      /** What the provider states at the beginning; final counts come with `end`. */
      readonly usage: NeutralUsage | undefined;
    }
  | {
      readonly kind: 'part_start';
      /** Counts from 0 over all parts. */
      readonly index: number;
      readonly part: StartedPart;
    }
  /** Text, thoughts, or a piece of a tool call's arguments as JSON text, by the kind of the part. */
  | { readonly kind: 'delta'; readonly index: number; readonly text: string }
  | {
      readonly kind: 'part_end';
      readonly index: number;
      /** The whole part, for writers of formats that repeat it. */
      readonly part: AnswerPart;
    }
  | { readonly kind: 'end'; readonly stop: Stop; readonly usage: NeutralUsage };

export type StartedPart =
  | { readonly kind: 'text' | 'refusal' | 'reasoning' }
  | { readonly kind: 'tool_call'; readonly id: string; readonly name: string };
