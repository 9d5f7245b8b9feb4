// A composed gateway, as the command line, the library and tests use it.

import type { RequestListener } from 'node:http';
import type { OwnRoutes } from '../http/own-routes/own-routes.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Identity } from './identity.ts';

export type Gateway = {
  readonly identity: Identity;
  /** What `/metrics` shows. */
  readonly metrics: Metrics;
  /** Resolves to the URL it listens on; undefined for a role that does not listen. */
  listen(): Promise<string | undefined>;
  /** Serves a request of the application's own listener. */
  readonly handle: RequestListener;
  /** For the application's own routes. */
  readonly ownRoutes: OwnRoutes;
  /** The URL at which the application's listener serves this gateway. */
  announce(url: string): Promise<void>;
  /** Idempotent: drains, then closes everything in reverse order of opening. */
  close(): Promise<void>;
};
