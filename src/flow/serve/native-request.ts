// A request at an AI endpoint as the HTTP layer passes it on: authenticated and read, but not parsed.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../admission/principal.ts';
import type { NativeRoute } from '../../upstream/native-route.ts';

export type NativeRequest = {
  readonly id: string;
  /** As received, including a credential in the query: for fingerprints only, never for logs or upstream. */
  readonly url: string;
  readonly route: NativeRoute;
  readonly principal: Principal;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The caller's own id of the request: echoed and stored, never used as an identity. */
  readonly correlationId: string | undefined;
  /** `clock.monotonic()` at its first byte. */
  readonly startedAtMs: number;
};

const MAX_LABEL_CHARACTERS = 200;

/** A label that the caller chooses, such as `x-user-id`, bounded in length. */
export function readLabel(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length <= MAX_LABEL_CHARACTERS ? value : copyOfStart(value);
}

/** Copied, because a slice would keep the whole header in memory for as long as a table keeps the label. */
function copyOfStart(value: string): string {
  return Buffer.from(value.slice(0, MAX_LABEL_CHARACTERS)).toString();
}
