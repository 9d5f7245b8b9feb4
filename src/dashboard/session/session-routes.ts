// /dashboard/session: sign in with the admin key, read the session, sign out. The answer of a login has no body field
// that a script could keep: the session is in an HttpOnly cookie. The API document leaves these routes out: only the
// dashboard's pages use them.

import { z } from 'zod';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { moment, namingValidator, noContent } from '../../http/schemas/admin.ts';
import type { OperatorSessions } from '../../http/session/operator-sessions.ts';
import type { Clock } from '../../kernel/clock.ts';
import { VERSION } from '../../kernel/version.ts';

const MAX_BODY_BYTES = 4096;
const loginBody = z.strictObject({
  key: z.string().min(1).max(1000).describe('The admin key'),
});
const sessionView = z.object({
  isSignedIn: z.boolean(),
  expiresAt: moment.nullable().describe('Null without a session'),
  version: z.string(),
  now: moment.describe("The server's clock"),
});

export type SessionRouteParts = {
  readonly sessions: OperatorSessions;
  readonly clock: Clock;
  /** A session older than half of this is renewed when it is read. */
  readonly sessionMs: number;
};

export function sessionRoutes({ sessions, clock, sessionMs }: SessionRouteParts): RegisterRoutes {
  const view = (expiresAt: number | undefined): z.infer<typeof sessionView> => ({
    isSignedIn: expiresAt !== undefined,
    expiresAt: expiresAt ?? null,
    version: VERSION,
    now: clock.now(),
  });

  return (app) => {
    app.post(
      '/dashboard/session',
      {
        bodyLimit: MAX_BODY_BYTES,
        config: { isAnswerSecret: true },
        validatorCompiler: namingValidator,
        schema: { hide: true, body: loginBody, response: { 200: sessionView } },
      },
      (request, reply) => {
        // A wrong key counts against its own limit, not as a refused request.
        request.isAdminGuess = true;
        const { header, expiresAt } = sessions.signIn(
          request.raw,
          loginBody.parse(request.body).key,
        );
        return reply.headers({ 'set-cookie': header, ...NO_STORE }).send(view(expiresAt));
      },
    );
    app.get(
      '/dashboard/session',
      {
        schema: { hide: true, response: { 200: sessionView } },
      },
      (request, reply) => {
        sessions.assertHost(request.raw);
        const expiresAt = sessions.expiry(request.raw);
        reply.headers(NO_STORE);
        if (expiresAt === undefined || expiresAt - clock.now() > sessionMs / 2)
          return reply.send(view(expiresAt));
        const renewed = sessions.renew(request.raw);
        return reply.headers({ 'set-cookie': renewed.header }).send(view(renewed.expiresAt));
      },
    );
    app.delete(
      '/dashboard/session',
      {
        schema: { hide: true, response: { 204: noContent } },
      },
      (request, reply) =>
        reply
          .code(204)
          .headers({ 'set-cookie': sessions.signOut(request.raw) })
          .send(null),
    );
  };
}

const NO_STORE = { 'cache-control': 'no-store' };
