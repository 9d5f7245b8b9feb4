import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createMemoryProviderLimits } from '../adapters/memory/provider-limits.ts';
import type { ProviderChoice } from '../jobs/dispatch-job.ts';
import type { Job } from '../jobs/job.ts';
import { createProviderStrategy } from '../routing/provider-strategy.ts';
import { createResolveTargets } from '../routing/resolve-targets.ts';
import { type ChooseParts, createChooseProvider } from './choose-provider.ts';

const NAMES = ['a', 'b', 'c'];
const clock = createTestClock();

function parts(given: Partial<ChooseParts> = {}): ChooseParts {
  return {
    providers: new Map(
      NAMES.map((name) => [
        name,
        {
          name,
          region: 'global',
          queue: `queue-${name}`,
          hasKey: name !== 'c',
          defaultModel: `${name}-default`,
        },
      ]),
    ),
    resolveTargets: createResolveTargets({
      providers: NAMES.map((name) => ({
        name,
        format: 'openai' as const,
        baseUrl: 'https://p.example',
        region: 'global',
        accounts: name === 'c' ? [] : [{ name: 'main', apiKey: 'k' }],
        models: [`${name}-*`],
      })),
      aliases: [
        {
          name: 'smart',
          strategy: 'ordered',
          targets: [
            { provider: 'b', model: 'b-2' },
            { provider: 'a', model: 'a-2' },
          ],
        },
      ],
      loadOf: () => 0,
    }),
    chooseOrder: createProviderStrategy({
      strategy: 'MESSAGE_BASED',
      fixedProvider: 'a',
      availableProviders: NAMES,
      priorityOrder: [],
      weights: {},
      metadata: {},
    }),
    overflow: 'next',
    limits: createMemoryProviderLimits(clock),
    clock,
    ...given,
  };
}

function job(given: Partial<Job>): Job {
  return {
    id: 'job_1',
    organizationId: 'acme',
    publicId: 'one',
    origin: 'http',
    state: 'queued',
    fence: 1,
    run: 0,
    attempts: 0,
    losses: 0,
    priority: 0,
    queue: 'raw',
    runAt: 0,
    publishedAt: 0,
    createdAt: 0,
    updatedAt: 0,
    ...given,
  };
}

async function limited(...names: string[]): Promise<ChooseParts> {
  const all = parts();
  for (const provider of names)
    await all.limits.set({
      provider,
      region: 'global',
      resetAt: clock.now() + 60_000,
      setBy: 'test',
      setAt: clock.now(),
      kind: 'learnt',
    });
  return all;
}

function short(choice: ProviderChoice): string {
  return choice.kind === 'route'
    ? `${choice.provider} ${choice.model} ${choice.queue}${choice.runAt === undefined ? '' : ' later'}`
    : choice.kind;
}

async function choose(given: Partial<Job>, using = parts()): Promise<string> {
  return short(await createChooseProvider(using)(job(given)));
}

test('a job that names a model goes there and nowhere else, even when it has to wait', async () => {
  assert.equal(await choose({ model: 'b-1' }), 'b b-1 queue-b');
  assert.equal(await choose({ model: 'b-1' }, await limited('b')), 'b b-1 queue-b later');
});

test('a job that names a provider gets its default model there', async () => {
  assert.equal(await choose({ provider: 'b' }), 'b b-default queue-b');
  assert.equal(await choose({ provider: 'c' }), 'refuse');
});

test('a job that names nothing goes where the strategy says, past those that are limited', async () => {
  assert.equal(await choose({}), 'a a-default queue-a');
  assert.equal(await choose({}, await limited('a')), 'b b-default queue-b');
  assert.equal(await choose({}, await limited('a', 'b')), 'a a-default queue-a later');
});

test('without overflow it waits for the first one', async () => {
  const all = { ...(await limited('a')), overflow: 'delay' as const };
  assert.equal(await choose({}, all), 'a a-default queue-a later');
});

test("a message of the raw queue may overflow, with the other provider's own model", async () => {
  assert.equal(await choose({ origin: 'queue', model: 'b-1' }), 'b b-1 queue-b');
  assert.equal(
    await choose({ origin: 'queue', model: 'b-1' }, await limited('b')),
    'a a-default queue-a',
  );
});

test('a model nobody serves is refused, naming the field', async () => {
  const choice = await createChooseProvider(parts())(job({ model: 'nobody' }));
  assert.ok(choice.kind === 'refuse');
  assert.deepEqual(choice.verdict.params, { field: 'model' });
  assert.equal(await choose({ model: 'c-1' }), 'refuse');
});

test('the wait is until the limit is over', async () => {
  const choice = await createChooseProvider(await limited('a'))(job({ model: 'a-1' }));
  assert.ok(choice.kind === 'route');
  assert.equal(choice.runAt, clock.now() + 60_000);
  assert.equal(choice.waitCode, 'AI_LIMIT_REACHED');
});
