// POST /api/chat: the orchestrator. A failure has the body of page "errors" under `error`, with `success: false` beside
// it. When the caller disconnects, the calls made for it end.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { AnswerChat } from '../../flow/chat/answer-chat.ts';
import { CallFailed } from '../../flow/chat/call-failed.ts';
import type { ChatAnswer } from '../../flow/chat/chat-request.ts';
import { addStandings, headerPairs } from '../../flow/serve/answer-headers.ts';
import { readDeadline } from '../../flow/serve/request-deadline.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Gate, scopeGuard } from '../authenticate.ts';
import { readCorrelationId } from '../correlation-id.ts';
import type { RegisterRoutes } from '../http-server.ts';
import { namingValidator } from '../schemas/admin.ts';
import { chatAnswer, chatBody } from '../schemas/chat.ts';
import { plainAnswer } from '../schemas/documented.ts';

export type ChatRouteParts = {
  readonly answerChat: AnswerChat;
  readonly gate: Gate;
  readonly clock: Clock;
  /** A claim of an idempotency key that is older belongs to a process that died. */
  readonly maxDurationMs: number;
};

/** Well above the longest message with the longest context, every character of which may be an escape of six bytes. */
const MAX_CHAT_BYTES = 4 * 2 ** 20;

export function chatRoutes(parts: ChatRouteParts): RegisterRoutes {
  const { answerChat, gate, clock, maxDurationMs } = parts;
  return (untyped) => {
    const app = untyped.withTypeProvider<ZodTypeProvider>();
    app.post(
      '/api/chat',
      {
        ...scopeGuard(gate, 'call'),
        ...plainAnswer,
        validatorCompiler: namingValidator,
        bodyLimit: MAX_CHAT_BYTES,
        config: { hasSuccessField: true, maxDurationMs },
        schema: {
          summary: 'Route a request to a category and reply',
          tags: ['Orchestrator'],
          security: [{ key: [] }],
          body: chatBody,
          response: {
            200: chatAnswer.describe('The reply'),
            202: chatAnswer.describe('The job is stored'),
          },
        },
      },
      async (request, reply) => {
        const { message, context, background } = request.body;
        const { headers } = request;
        const startedAtMs = clock.monotonic();
        readDeadline(headers, startedAtMs, clock);
        const chat = {
          id: request.id,
          principal: await gate.requireScope(request, 'call'),
          headers,
          message,
          context: context ?? undefined,
          isBackground: background === true,
          correlationId: readCorrelationId(headers),
          startedAtMs,
        };
        const answer = await answerChat(chat, signalOf(reply)).catch((thrown: unknown) =>
          failCall(request, reply, clock, thrown),
        );
        return send(reply, answer);
      },
    );
  };
}

function send(reply: FastifyReply, { status, headers, result }: ChatAnswer): FastifyReply {
  return reply.code(status).headers(headers).send({ success: true, result });
}

/** Aborts when the connection closes before the response has been sent. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) left.abort(new Error('the caller left'));
  });
  return left.signal;
}

/** The error handler renders the failure; it gets the facts of the call from the request. */
function failCall(
  request: FastifyRequest,
  reply: FastifyReply,
  clock: Clock,
  thrown: unknown,
): never {
  if (!(thrown instanceof CallFailed)) throw thrown;
  const { failure } = thrown;
  request.failedCall = failure;
  const headers = ['x-spillway-attempts', String(failure.attempts ?? 0)];
  addStandings(headers, failure.standings ?? [], clock.now());
  for (const [name, value] of headerPairs(headers)) reply.raw.setHeader(name, value);
  throw failure.error;
}
