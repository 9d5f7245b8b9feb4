// Sends a request of an application's own route to another server of the cluster, with the caller's own credentials, and
// relays the answer. Without a server that takes it the caller gets the local refusal.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import type { SpillwayError } from '../../errors/spillway-error.ts';
import { type ForwardParts, serveForwardable } from '../../flow/forward/forward-call.ts';
import type { OwnMethod } from '../../flow/forward/forwarded-request.ts';
import type { Reply } from '../../flow/serve/reply.ts';
import type { ResolveTargets } from '../../routing/resolve-targets.ts';

export type OwnRequest = {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: OwnMethod;
  readonly body: Buffer;
  readonly principal: Principal;
  readonly model: string | undefined;
  readonly startedAtMs: number;
};

/** `isBegun`: a part of another server's answer was sent before its connection broke. */
export type AnswerRefusal = (error: SpillwayError, isBegun: boolean) => void;

/** `refusal`: why this server does not serve the request. */
export function forwardOwnRequest(
  forward: ForwardParts,
  own: OwnRequest,
  refusal: SpillwayError,
  { resolveTargets, answer }: { resolveTargets: ResolveTargets; answer: AnswerRefusal },
): void {
  const { id, request, response, method, body, principal, startedAtMs } = own;
  const { headers, url = '' } = request;
  const reply = replyTo(response, () => served.drained());
  const served = serveForwardable(
    forward,
    { id, url, principal, headers, body, startedAtMs, own: { method } },
    { reply, answerFailure: ({ error, isBegun }) => answer(error, isBegun) },
    () => planOf(resolveTargets, own.model),
    (_reply, failed) => {
      failed({ error: refusal, isBegun: false, wasCalled: false });
      return INERT;
    },
  );
  response.once('close', () => served.gone());
}

const INERT = { drained: () => {}, gone: () => {} };

/** Without a model every server is able to serve the request. */
function planOf(resolveTargets: ResolveTargets, model: string | undefined) {
  const resolution = model === undefined ? undefined : resolveTargets(model);
  const targets = resolution?.outcome === 'targets' ? resolution.targets : [];
  return { requestedModel: model, targets };
}

function replyTo(response: ServerResponse, drained: () => void): Reply {
  return {
    begin: (status, headers) => void response.writeHead(status, headers),
    write(chunk) {
      const isAccepted = response.write(chunk);
      if (!isAccepted) response.once('drain', drained);
      return isAccepted;
    },
    end: (chunk) => void response.end(chunk),
  };
}
