// Opens the bounds of request bodies: the quota of bytes, and the timeout of uploads that pause.

import type { Config } from '../../config/config.ts';
import { BodyQuota } from '../../http/bodies/body-quota.ts';
import { DecodeQueue } from '../../http/bodies/decode-queue.ts';
import type { BodyIntake } from '../../http/bodies/read-body.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import { createWatch } from '../../kernel/watch.ts';

export function openBodyIntake(
  { server }: Config,
  { clock, lifecycle }: { readonly clock: Clock; readonly lifecycle: Lifecycle },
): { readonly quota: BodyQuota; readonly intake: BodyIntake } {
  const watch = createWatch(clock);
  lifecycle.onClose('uploads', () => watch.close());
  // A quota below the largest body would refuse that body forever.
  const largest = Math.max(server.bodyLimitBytes, ...Object.values(server.routeBodyLimitBytes));
  return {
    quota: new BodyQuota({
      maxBytes: Math.max(largest, server.maxBodyBytes),
      maxBytesPerOrganization: Math.max(largest, server.maxOrganizationBodyBytes),
    }),
    intake: {
      clock,
      watch,
      idleTimeoutMs: server.uploadIdleTimeoutMs,
      decoding: new DecodeQueue(),
    },
  };
}
