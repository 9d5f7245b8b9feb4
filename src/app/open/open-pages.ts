// Opens the dashboard's pages and the sessions of operators.

import type { Config } from '../../config/config.ts';
import { openAssets } from '../../dashboard/assets/asset-folder.ts';
import { assetRoutes } from '../../dashboard/assets/asset-routes.ts';
import { sessionRoutes } from '../../dashboard/session/session-routes.ts';
import type { GuessLimits } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import {
  createOperatorSessions,
  type OperatorSessions,
} from '../../http/session/operator-sessions.ts';
import { createHostRule } from '../../http/session/served-hosts.ts';
import type { Clock } from '../../kernel/clock.ts';

export type Pages = {
  readonly sessions: OperatorSessions;
  readonly routes: readonly RegisterRoutes[];
};

export function openPages(
  config: Config,
  parts: {
    readonly adminKey: string;
    readonly refusals: GuessLimits;
    readonly clock: Clock;
  },
): Pages {
  const { adminKey, refusals, clock } = parts;
  const { sessionMs, trustsForwardedProto } = config.dashboard;
  const { serverUrl } = config.cluster;
  const sessions = createOperatorSessions({
    adminKey,
    sessionMs,
    servesHost: createHostRule({ listensOn: config.server.host, serverUrl }),
    trustsForwardedProto,
    guesses: refusals.admin,
    clock,
  });
  return {
    sessions,
    routes: [assetRoutes(openAssets(), sessions), sessionRoutes({ sessions, clock, sessionMs })],
  };
}
