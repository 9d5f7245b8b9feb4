import { serverRegistryContract } from '../../../test/contract/server-registry.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { RECORD_LIFETIME_MS } from '../../cluster/server-registry.ts';
import { createMemoryServerRegistry } from './server-registry.ts';

serverRegistryContract('memory', async () => {
  const clock = createTestClock();
  const registry = createMemoryServerRegistry({ clock, lifetimeMs: RECORD_LIFETIME_MS });
  return { registry, pass: (ms) => clock.advance(ms) };
});
