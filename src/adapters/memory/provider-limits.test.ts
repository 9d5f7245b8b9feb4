import { providerLimitsContract } from '../../../test/contract/provider-limits.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryProviderLimits } from './provider-limits.ts';

providerLimitsContract('memory', async () => {
  const clock = createTestClock();
  const limits = createMemoryProviderLimits(clock);
  return { limits, clock, close: () => limits.close() };
});
