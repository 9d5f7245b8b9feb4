// Rate limits on a real Redis of their own.

import { after, before } from 'node:test';
import { rateLimiterContract } from '../../../test/contract/rate-limiter.ts';
import { type LimiterRig, openLimiterRig } from '../../../test/support/limiter-rig.ts';

let rig: LimiterRig;
before(async () => {
  rig = await openLimiterRig();
});
after(() => rig.close());

rateLimiterContract('Redis', () => rig.openLimiter());
