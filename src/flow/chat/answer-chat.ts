// Answers a chat request: decision, then reply or job. Both calls go through the path of the AI endpoints, so that limits,
// budgets, usage records, fallbacks and logs are the same mechanism. The reply has the id of the chat request; the
// decision has an id of its own, with the chat's id as its correlation.

import type { ChatParts } from './chat-parts.ts';
import type { ChatAnswer, ChatRequest, ChatResult, Decided } from './chat-request.ts';
import { createDecide } from './decide.ts';
import { makeReply, type Replied } from './reply.ts';
import { Spending } from './spending.ts';

/** Rejects with CallFailed, with a SpillwayError for an invalid configuration, or with the signal's reason. */
export type AnswerChat = (request: ChatRequest, signal: AbortSignal) => Promise<ChatAnswer>;

export function createAnswerChat(parts: ChatParts): AnswerChat {
  const decide = createDecide(parts);
  return async (request, signal) => {
    const spending = new Spending();
    const { decided, isCounted, headers } = await decide(request, spending, signal);
    parts.metrics.decided(decided.decidedBy, decided.category);
    logDecision(parts, request, decided);
    const order = { request, decision: decided, isCounted, spending };
    const replied = await makeReply(parts, order, signal);
    const shown = new Map([...headers, ...replied.headers]);
    return toAnswer(request, decided, { ...replied, headers: shown }, spending);
  };
}

function toAnswer(
  { id }: ChatRequest,
  { category, skills, decidedBy }: Decided,
  { outcome, headers }: Replied,
  spending: Spending,
): ChatAnswer {
  const result: ChatResult = {
    category,
    skills,
    decidedBy,
    ...outcome,
    usage: spending.usage(),
    costUsd: spending.costUsd(),
    requestId: id,
  };
  return { status: 'jobId' in outcome ? 202 : 200, result, headers: shownHeaders(headers) };
}

/** The response has its own headers for the body and the ids. */
function shownHeaders(headers: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const isShown = (name: string): boolean =>
    /^x-(spillway|ratelimit)-/.test(name) && name !== 'x-spillway-cost-usd';
  const shown = [...headers].filter(([name]) => isShown(name) || JOB_HEADERS.has(name));
  return Object.fromEntries(shown);
}

const JOB_HEADERS: ReadonlySet<string> = new Set(['location', 'preference-applied']);

function logDecision(
  { serve }: ChatParts,
  { id, principal }: ChatRequest,
  { category, skills, decidedBy }: Decided,
): void {
  const { organizationId, keyId } = principal;
  serve.log.write({
    level: decidedBy === 'ai' ? 'info' : 'warn',
    type: 'request',
    message: `chat routed by ${decidedBy}`,
    requestId: id,
    metadata: { organizationId, keyId, category, skills, decidedBy },
  });
}
