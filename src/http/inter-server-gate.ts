// Accepts calls of other servers: verifies the signature, the addressed server, the time and the nonce before the body
// is read, and the body against its signed digest afterwards. A client that sends these headers without a secret of the
// cluster gets 401; a client that sends a part of them is served like any other.

import type { IncomingMessage } from 'node:http';
import type { Principal } from '../admission/principal.ts';
import {
  claimsServer,
  contentDigest,
  type ServerName,
  verifyCall,
} from '../cluster/inter-server/call-signature.ts';
import { SeenNonces } from '../cluster/inter-server/seen-nonces.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import { decodePrincipal } from '../flow/forward/forwarded-principal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

export type AcceptedForward = {
  readonly source: string;
  readonly requestId: string;
  readonly principal: Principal;
  /** Throws UNAUTHORIZED for a body other than the signed one. */
  checkBody(body: Buffer): void;
};

export type InterServerGate = {
  /** True if the request claims to come from a server. */
  isClaimed(request: IncomingMessage): boolean;
  /** Throws UNAUTHORIZED, or LOOP_DETECTED for a request of this server. */
  accept(request: IncomingMessage): AcceptedForward;
};

export type InterServerGateParts = {
  readonly secrets: readonly string[];
  readonly self: ServerName;
  readonly clock: Clock;
  readonly log: Log;
};

export function createInterServerGate({
  secrets,
  self,
  clock,
  log,
}: InterServerGateParts): InterServerGate {
  const nonces = new SeenNonces(clock);

  function refused(reason: string, source: string): SpillwayError {
    log.write({
      level: 'warn',
      type: 'error',
      message: 'a call in the name of another server was refused',
      metadata: { reason, source: source.slice(0, MAX_LOGGED_NAME) },
    });
    return new SpillwayError('UNAUTHORIZED', `the call between servers is refused: ${reason}`);
  }

  return {
    isClaimed: ({ headers }) => claimsServer(headers['signature-input']),
    accept(request) {
      const source = header(request, 'x-spillway-source');
      const digest = header(request, 'content-digest');
      const principal = header(request, 'x-spillway-principal');
      const requestId = header(request, 'x-spillway-request');
      const [path = '', query] = (request.url ?? '').split(/(?=\?)/, 2);
      const call = {
        method: request.method ?? '',
        path,
        query: query ?? '',
        digest,
        source,
        target: header(request, 'x-spillway-target'),
        requestId,
        principal,
      };
      const signed = {
        input: header(request, 'signature-input'),
        signature: header(request, 'signature'),
      };
      const nowSeconds = Math.floor(clock.now() / 1000);
      const verified = verifyCall(call, signed, { secrets, self, nowSeconds });
      if (typeof verified === 'string') throw refused(verified, source);
      if (!nonces.add(verified.nonce)) throw refused('replayed', source);
      if (source === self.id)
        throw new SpillwayError('LOOP_DETECTED', 'a forwarded request came back to its origin');
      const decoded = decodePrincipal(principal);
      if (!decoded) throw refused('malformed', source);
      return {
        source,
        requestId,
        principal: decoded,
        checkBody(body) {
          if (contentDigest(body) !== digest) throw refused('other_body', source);
        },
      };
    },
  };
}

const MAX_LOGGED_NAME = 100;

/** A header that occurs twice has no meaning that both servers agree on. */
function header({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
