// One request at an AI endpoint, as the HTTP layer hands it over: authenticated, read, not yet understood.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import type { NativeRoute } from '../../upstream/native-route.ts';

export type NativeRequest = {
  readonly id: string;
  /** As it was asked for, any credential in it included: to be compared, never to be shown or sent. */
  readonly url: string;
  readonly route: NativeRoute;
  readonly principal: Principal;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The caller's own id for it: echoed and kept, never trusted as an identity. */
  readonly correlationId: string | undefined;
  /** `clock.monotonic()` when its first byte was seen. */
  readonly startedAtMs: number;
};
