// A request at /api/chat, authenticated and validated, and its result.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import type { DecidedBy, Decision } from '../../orchestrator/decision.ts';

export type ChatRequest = {
  readonly id: string;
  readonly principal: Principal;
  readonly headers: IncomingHttpHeaders;
  readonly message: string;
  readonly context: ChatContext | undefined;
  /** Run as a job. */
  readonly isBackground: boolean;
  readonly correlationId: string | undefined;
  /** `clock.monotonic()` at its arrival. */
  readonly startedAtMs: number;
};

/** Earlier turns of the conversation, or facts about the request as text or JSON. */
export type ChatContext = string | readonly ChatTurn[] | Readonly<Record<string, unknown>>;

export type ChatTurn = { readonly role: 'user' | 'assistant'; readonly content: string };

export type Decided = Decision & { readonly decidedBy: DecidedBy };

export type ChatUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
};

export type ChatResult = Decided & {
  readonly reply?: string;
  readonly jobId?: string;
  /** The usage of the decision and the reply; a job has its own. */
  readonly usage: ChatUsage;
  readonly costUsd: number;
  readonly requestId: string;
};

export type ChatAnswer = {
  readonly status: 200 | 202;
  readonly result: ChatResult;
  /** The headers of the reply that the response repeats. */
  readonly headers: Readonly<Record<string, string>>;
};
