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
          { name, accounts: [], queue: name, hasKey: true, defaultModel: `${name}-default` },
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
  let requests = 0;
  function submit(message: Submission['message'], submit = async () => NEW) {
    requests += 1;
    return admit({ principal, requestId: `req_${requests}`, message }, submit);
  }
  return { clock, submit };
}

test("a submission counts against the organisation's request limit", async () => {
  const { clock, submit } = rig({ requestsPerMinute: 2 });
  await submit({ prompt: 'one' });
  await submit({ prompt: 'two' });
  await assert.rejects(submit({ prompt: 'three' }), THROTTLED);
  await clock.advance(60_000);
  assert.deepEqual(await submit({ prompt: 'four' }), NEW);
});

test("a submission counts its input tokens against the organisation's token limit", async () => {
  const { clock, submit } = rig({ tokensPerMinute: 100 });
  await submit({ prompt: 'x'.repeat(240) });
  await clock.advance(59_999);
  await assert.rejects(submit({ request: { prompt: 'x'.repeat(240) } }), THROTTLED);
  await clock.advance(1);
  await submit({ prompt: 'x'.repeat(240) });
  await assert.rejects(submit({ prompt: 'x'.repeat(500) }), { code: 'REQUEST_TOO_LARGE' });
});

test("a job takes no slot of the organisation's concurrency limit", async () => {
  const { submit } = rig({ maxConcurrent: 1 });
  await submit({ prompt: 'one' });
  await submit({ prompt: 'two' });
});

test('a submission that fails or finds an existing job counts nothing', async () => {
  const { submit } = rig({ requestsPerMinute: 1 });
  const failure = new Error('the store is unavailable');
  await assert.rejects(
    submit({ prompt: 'x' }, () => Promise.reject(failure)),
    failure,
  );
  await submit({ prompt: 'x' }, async () => ({ isNew: false }));
  await submit({ prompt: 'x' });
  await assert.rejects(submit({ prompt: 'x' }), THROTTLED);
});

test('a key that is bound to models may submit jobs for these only', async () => {
  const { submit } = rig({}, ['anthropic-small', 'openai-default']);
  const forbidden = { code: 'FORBIDDEN' };
  await submit({ prompt: 'x', model: 'anthropic-small' });
  await submit({ prompt: 'x', model: 'anthropic/anthropic-small' });
  await assert.rejects(submit({ prompt: 'x', model: 'anthropic-large' }), forbidden);
  await submit({ prompt: 'x' });
  await assert.rejects(submit({ prompt: 'x', provider: 'anthropic' }), forbidden);
});
