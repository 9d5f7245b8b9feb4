// Admits a submission: it counts against the organisation's limits like an interactive request, and a key that is
// restricted to models may submit jobs only for these. Only input tokens count here; the provider's limit is checked
// when the job runs. A submission that fails or finds an existing job counts nothing.

import type { Principal } from '../../admission/principal.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import { estimateTokens } from '../../metering/usage/token-estimate.ts';
import type { PermitAsk, RateLimiter } from '../../resilience/rate-limiter.ts';
import { mayUse } from '../../routing/may-use.ts';
import { isObject } from '../../translation/fields.ts';
import { overLimit } from '../call/call-refusal.ts';
import { joinTerms, limitsOfCaller } from '../call/call-terms.ts';
import { type CandidateParts, candidatesFor } from './dispatch-candidates.ts';

export type Submission = {
  readonly principal: Principal;
  readonly requestId: string;
  readonly message: Pick<JobMessage, 'provider' | 'model' | 'prompt'> & {
    readonly request?: unknown;
  };
};

/** Rejects with RATE_LIMITED if the organisation is over a limit, else as `submit` does. */
export type AdmitJob = <T extends { readonly isNew: boolean }>(
  submission: Submission,
  submit: () => Promise<T>,
) => Promise<T>;

export type AdmitJobParts = {
  readonly limiter: RateLimiter;
  readonly candidates: CandidateParts;
};

export function createAdmitJob({ limiter, candidates }: AdmitJobParts): AdmitJob {
  return async (submission, submit) => {
    await assertMaySubmit(candidates, submission);
    const terms = termsOf(submission.principal);
    const bytes = terms.countsTokens ? inputBytes(submission.message) : 0;
    await turnAfter(bytes);
    const ask = askFor(submission, terms, bytes);
    await take(limiter, ask);
    try {
      const submitted = await submit();
      if (submitted.isNew) limiter.settle(ask, ask.tokens);
      else limiter.giveBack(ask);
      return submitted;
    } catch (thrown) {
      limiter.giveBack(ask);
      throw thrown;
    }
  };
}

/** The dispatcher may choose any candidate, so the key must allow the model of each candidate, and the models that tools name. */
async function assertMaySubmit(parts: CandidateParts, { principal, message }: Submission) {
  const { models } = principal;
  if (!models) return;
  const { provider, model } = message;
  const named = toolModels(message.request);
  const candidates = await candidatesFor(parts, { origin: 'http', provider, model });
  const isAllowed = candidates.every((candidate) => {
    const target = { provider: candidate.provider.name, model: candidate.model };
    return (
      mayUse(models, model ?? candidate.model, target) &&
      named.every((each) => mayUse(models, each, { ...target, model: each }))
    );
  });
  if (!isAllowed) throw new SpillwayError('FORBIDDEN', 'the key may not use this model');
}

/** The models that the tools of a request name, those of grouped tools and of tools that its messages add included. */
function toolModels(request: unknown): readonly string[] {
  if (!isObject(request)) return [];
  const messages = [...objectsIn(request['messages']), ...objectsIn(request['input'])];
  const added = messages.flatMap((message) => [
    ...modelsOf(message['tools']),
    ...addedModels(message['content']),
  ]);
  return [...modelsOf(request['tools']), ...added];
}

/** A block of Anthropic's adds a tool by its definition, and a compacted conversation repeats such blocks. */
function addedModels(content: unknown): readonly string[] {
  return objectsIn(content).flatMap(({ tool, tool_changes: changes }) => [
    ...(isObject(tool) ? modelsOf(tool['definition']) : []),
    ...addedModels(changes),
  ]);
}

function modelsOf(tools: unknown): readonly string[] {
  return objectsIn(tools).flatMap(({ model, tools: grouped }) => [
    ...(typeof model === 'string' ? [model] : []),
    ...modelsOf(grouped),
  ]);
}

/** Of a list, or of one object, which providers may read as a list of one. */
function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** A waiting job takes no slot of a concurrency limit. */
function termsOf(principal: Principal): ReturnType<typeof joinTerms> {
  return joinTerms(limitsOfCaller(principal).filter(({ kind }) => kind !== 'concurrent'));
}

function askFor(
  { requestId }: Submission,
  { limits, countsTokens }: ReturnType<typeof joinTerms>,
  bytes: number,
): PermitAsk {
  const tokens = countsTokens ? estimateTokens(bytes) : 0;
  return { id: requestId, limits, tokens, expiresMs: SUBMITTING_MS };
}

function take(limiter: RateLimiter, ask: PermitAsk): Promise<void> {
  return new Promise((resolve, reject) =>
    limiter.take(ask, (decision) => {
      if (decision.isAllowed) resolve();
      else reject(overLimit(decision));
    }),
  );
}

function inputBytes({ prompt = '', request }: Submission['message']): number {
  const body = request === undefined ? '' : JSON.stringify(request);
  return Buffer.byteLength(prompt) + Buffer.byteLength(body);
}

/** Longer than storing a job can take. */
const SUBMITTING_MS = 60_000;
