import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { newOrganization } from '../../admission/organization.ts';
import { type Principal, toPrincipal } from '../../admission/principal.ts';
import { createProviderStrategy } from '../../routing/provider-strategy.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import { createAdmitJob, type Submission } from './admit-job.ts';

const NAMES = ['openai', 'anthropic'];
const KEY = {
  id: 'key_1',
  organizationId: 'acme',
  name: 'k',
  hash: 'h',
  prefix: 'p',
  scopes: ['jobs'],
  diagnostics: false,
  createdAt: 1,
} as const;
const NEW = { isNew: true };
const THROTTLED = { code: 'RATE_LIMITED' };

function principalOf(settings: object, models?: readonly string[]): Principal {
  const organization = newOrganization({ id: 'acme', ...settings }, 1);
  const principal = toPrincipal({ key: { ...KEY, ...(models && { models }) }, organization });
  assert.ok(principal);
  return principal;
}

function rig(settings: object = {}, models?: readonly string[]) {
  const clock = createTestClock();
  const admit = createAdmitJob({
    limiter: createMemoryRateLimiter(clock),
    candidates: {
      providers: new Map(
        NAMES.map((name) => [
          name,
          { name, region: 'r', queue: name, hasKey: true, defaultModel: `${name}-default` },
        ]),
      ),
      resolveTargets: createResolveTargets({
        providers: NAMES.map((name) => ({
          name,
          format: 'openai',
          baseUrl: 'https://p.example',
          region: 'r',
          accounts: [{ name: 'main', apiKey: 'k' }],
          models: [`${name}-*`],
        })),
        aliases: [],
        loadOf: () => 0,
      }),
      chooseOrder: createProviderStrategy({
        strategy: 'FIXED',
        fixedProvider: 'openai',
        availableProviders: NAMES,
        priorityOrder: [],
        weights: {},
        metadata: {},
      }),
    },
  });
  const principal = principalOf(settings, models);
  let asked = 0;
  function handIn(message: Submission['message'], submit = async () => NEW) {
    asked += 1;
    return admit({ principal, requestId: `req_${asked}`, message }, submit);
  }
  return { clock, handIn };
}

test("a submission counts against the organisation's request limit", async () => {
  const { clock, handIn } = rig({ requestsPerMinute: 2 });
  await handIn({ prompt: 'one' });
  await handIn({ prompt: 'two' });
  await assert.rejects(handIn({ prompt: 'three' }), THROTTLED);
  await clock.advance(60_000);
  assert.deepEqual(await handIn({ prompt: 'four' }), NEW);
});

test("a submission counts its input tokens against the organisation's token limit", async () => {
  const { clock, handIn } = rig({ tokensPerMinute: 100 });
  await handIn({ prompt: 'x'.repeat(240) });
  await clock.advance(59_999);
  await assert.rejects(handIn({ request: { prompt: 'x'.repeat(240) } }), THROTTLED);
  await clock.advance(1);
  await handIn({ prompt: 'x'.repeat(240) });
  await assert.rejects(handIn({ prompt: 'x'.repeat(500) }), { code: 'REQUEST_TOO_LARGE' });
});

test("a job takes no slot of the organisation's concurrency limit", async () => {
  const { handIn } = rig({ maxConcurrent: 1 });
  await handIn({ prompt: 'one' });
  await handIn({ prompt: 'two' });
});

test('a submission that fails or finds an existing job counts nothing', async () => {
  const { handIn } = rig({ requestsPerMinute: 1 });
  const failure = new Error('the store is unavailable');
  await assert.rejects(
    handIn({ prompt: 'x' }, () => Promise.reject(failure)),
    failure,
  );
  await handIn({ prompt: 'x' }, async () => ({ isNew: false }));
  await handIn({ prompt: 'x' });
  await assert.rejects(handIn({ prompt: 'x' }), THROTTLED);
});

test('a key that is bound to models may submit jobs for these only', async () => {
  const { handIn } = rig({}, ['anthropic-small', 'openai-default']);
  const forbidden = { code: 'FORBIDDEN' };
  await handIn({ prompt: 'x', model: 'anthropic-small' });
  await handIn({ prompt: 'x', model: 'anthropic/anthropic-small' });
  await assert.rejects(handIn({ prompt: 'x', model: 'anthropic-large' }), forbidden);
  await handIn({ prompt: 'x' });
  await assert.rejects(handIn({ prompt: 'x', provider: 'anthropic' }), forbidden);
});
