// Serves a request here or at another server of the cluster. A request that this server cannot serve for lack of capacity,
// before any byte was sent, goes to the best server that can; if that server fails, to the next. When no server is left the
// caller gets the local answer. A request that came from another server is never forwarded: it does not come here.
//
// States: local → selecting → forwarded → relaying → ended; forwarded → selecting; selecting → local answer → ended.

import type { ProviderLimits } from '../../admission/provider-limits.ts';
import type { RoutingStatistics } from '../../cluster/routing-statistics.ts';
import type { ServerDirectory } from '../../cluster/server-directory.ts';
import { isSuspected, type RegisteredServer } from '../../cluster/server-record.ts';
import type { ServerSelector } from '../../cluster/server-selector.ts';
import { toSpillwayError } from '../../errors/spillway-error.ts';
import { every, type Repetition } from '../../kernel/every.ts';
import type { Log } from '../../kernel/log.ts';
import type { Target } from '../../routing/target.ts';
import { lost } from '../../upstream/attempt/attempt-failure.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { readLabel } from '../serve/native-request.ts';
import type { AnswerFailure, FailedRequest, Reply, Serve, ServedRequest } from '../serve/reply.ts';
import { ForwardExchange, type ForwardOutcome } from './forward-exchange.ts';
import { type ForwardReason, forwardReason } from './forward-reason.ts';
import {
  type ForwardableRequest,
  type ForwardSender,
  forwardedRequest,
} from './forwarded-request.ts';

export type ForwardParts = ForwardSender & {
  readonly directory: ServerDirectory;
  readonly selector: ServerSelector;
  readonly statistics: RoutingStatistics;
  readonly limits: Pick<ProviderLimits, 'active'>;
  readonly upstream: Upstream;
  readonly log: Log;
  /** While this server drains, requests on open connections are forwarded before they are served here. */
  readonly isDraining: () => boolean;
};

/** The plan of the request decides which servers are able to serve it. Throws on an invalid request. */
export type PlanOf = () => {
  /** Undefined: every server is able to serve it. */
  readonly requestedModel: string | undefined;
  readonly targets: readonly Pick<Target, 'provider'>[];
};

/** Bounds the number of servers that are tried, so that failing servers do not use up the caller's patience. */
const MAX_SERVERS = 3;
/** How often the heartbeat of a server is checked while a forwarded request waits for it. */
const CHECK_MS = 1000;

export function serveForwardable(
  parts: ForwardParts,
  request: ForwardableRequest,
  to: { readonly reply: Reply; readonly answerFailure: AnswerFailure },
  planOf: PlanOf,
  serve: Serve,
): ServedRequest {
  const call = new ForwardableCall(parts, request, to, planOf, serve);
  call.start();
  return call;
}

class ForwardableCall implements ServedRequest {
  readonly #parts: ForwardParts;
  readonly #request: ForwardableRequest;
  readonly #reply: Reply;
  readonly #answerFailure: AnswerFailure;
  readonly #planOf: PlanOf;
  readonly #serve: Serve;
  #local: ServedRequest | undefined;
  #exchange: ForwardExchange | undefined;
  #checking: Repetition | undefined;
  #isGone = false;

  constructor(
    parts: ForwardParts,
    request: ForwardableRequest,
    { reply, answerFailure }: { readonly reply: Reply; readonly answerFailure: AnswerFailure },
    planOf: PlanOf,
    serve: Serve,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#reply = reply;
    this.#answerFailure = answerFailure;
    this.#planOf = planOf;
    this.#serve = serve;
  }

  start(): void {
    if (this.#parts.isDraining()) void this.#forward('draining', undefined);
    else this.#serveLocally();
  }

  drained(): void {
    this.#local?.drained();
    this.#exchange?.drained();
  }

  gone(): void {
    this.#isGone = true;
    this.#local?.gone();
    this.#exchange?.cancel();
    this.#stopChecking();
  }

  /** Throws on an invalid request, as the wrapped flow does. */
  #serveLocally(): void {
    const counted: Reply = {
      begin: (status, headers) => {
        this.#parts.statistics.count('local', 'available');
        this.#reply.begin(status, headers);
      },
      write: (chunk) => this.#reply.write(chunk),
      end: (chunk) => this.#reply.end(chunk),
    };
    try {
      this.#local = this.#serve(counted, (failure) => this.#failed(failure));
    } catch (thrown) {
      const failure = { error: toSpillwayError(thrown), isBegun: false, wasCalled: false };
      if (forwardReason(failure) === undefined) throw thrown;
      this.#failed(failure);
    }
  }

  #failed(failure: FailedRequest): void {
    const reason = forwardReason(failure);
    if (reason === undefined || this.#isGone) return this.#answerFailure(failure);
    this.#local = undefined;
    void this.#forward(reason, failure);
  }

  /** `failure` is the local answer; undefined if this server has not tried. Never rejects. */
  async #forward(reason: ForwardReason, failure: FailedRequest | undefined): Promise<void> {
    for (const server of await this.#select()) {
      if (this.#isGone) return;
      const outcome = await this.#tryServer(server);
      if (outcome.kind === 'relayed') return this.#routed(server, reason);
      this.#logFailed(server, reason, outcome.reason);
    }
    if (this.#isGone) return;
    this.#parts.statistics.count('failed', reason);
    this.#logRouting('build_routed_local', reason, this.#parts.serverId);
    if (failure) return this.#answerFailure(failure);
    this.#serveUnforwarded();
  }

  async #select(): Promise<readonly RegisteredServer[]> {
    const { selector, serverId, limits } = this.#parts;
    try {
      const { targets, requestedModel } = this.#planOf();
      const ranked = await selector.select({
        call:
          requestedModel === undefined
            ? undefined
            : { provider: targets[0]?.provider ?? '', model: requestedModel },
        excluded: new Set([serverId]),
        isLimited: (scope) => limits.active(scope) !== undefined,
      });
      return ranked.slice(0, MAX_SERVERS);
    } catch {
      // For an invalid request: the local flow reports the problem.
      return [];
    }
  }

  #tryServer(server: RegisteredServer): Promise<ForwardOutcome> {
    const { url, id, incarnation } = server;
    if (url === undefined) return Promise.resolve({ kind: 'failed', reason: 'it has no URL' });
    return new Promise((resolve) => {
      const exchange = new ForwardExchange(
        this.#reply,
        {
          onOutcome: (outcome) => {
            if (outcome.kind === 'failed') this.#stopChecking();
            resolve(outcome);
          },
          onBroken: (reason) => {
            this.#stopChecking();
            const error = lost(`the stream of server ${id} broke: ${reason}`);
            this.#answerFailure({ error, isBegun: true, wasCalled: true });
          },
          onEnd: () => this.#stopChecking(),
        },
        this.#request.own !== undefined,
      );
      this.#exchange = exchange;
      this.#checking = every(this.#parts.clock, CHECK_MS, () =>
        this.#checkServer(server, exchange),
      );
      exchange.start(
        this.#parts.upstream,
        forwardedRequest(this.#parts, this.#request, { url, id, incarnation }),
      );
    });
  }

  /** A frozen server keeps its connections open and never answers. */
  async #checkServer(
    { id, incarnation }: RegisteredServer,
    exchange: ForwardExchange,
  ): Promise<void> {
    const { now, servers, isStale } = await this.#parts.directory.snapshot();
    if (isStale) return;
    const known = servers.find((server) => server.id === id && server.incarnation === incarnation);
    if (!known || isSuspected(known, now)) exchange.giveUp('it has missed its heartbeats');
  }

  #stopChecking(): void {
    void this.#checking?.close();
  }

  #serveUnforwarded(): void {
    try {
      this.#local = this.#serve(this.#reply, this.#answerFailure);
    } catch (thrown) {
      this.#answerFailure({ error: toSpillwayError(thrown), isBegun: false, wasCalled: false });
    }
  }

  #routed(server: RegisteredServer, reason: ForwardReason): void {
    this.#parts.statistics.count('proxied', reason);
    this.#parts.statistics.forwarded(server.id);
    this.#logRouting('build_routed_external', reason, server.id);
  }

  #logRouting(message: string, reason: ForwardReason, toServerId: string): void {
    this.#parts.log.write({
      level: 'info',
      type: 'capacity',
      message,
      requestId: this.#request.id,
      metadata: { ...this.#facts(reason), toServerId },
    });
  }

  #logFailed({ id: toServerId }: RegisteredServer, reason: ForwardReason, cause: string): void {
    this.#parts.log.write({
      level: 'error',
      type: 'error',
      message: 'a server did not take a forwarded request',
      requestId: this.#request.id,
      metadata: { ...this.#facts(reason), toServerId, cause },
    });
  }

  #facts(reason: ForwardReason): Readonly<Record<string, unknown>> {
    const { headers, principal } = this.#request;
    return {
      buildId: readLabel(headers['x-build-id']),
      userId: readLabel(headers['x-user-id']),
      organizationId: principal.organizationId,
      fromServerId: this.#parts.serverId,
      reason,
    };
  }
}
