import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createMemoryProviderLimits } from '../../adapters/memory/provider-limits.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Job } from '../../jobs/model/job.ts';
import type { ProviderChoice } from '../../jobs/pipeline/dispatch-job.ts';
import { newId } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { CircuitKey } from '../../resilience/circuit-key.ts';
import type { Limit } from '../../resilience/rate-limiter.ts';
import { createProviderStrategy } from '../../routing/provider-strategy.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import { createDispatchLimit } from '../pacing/dispatch-limit.ts';
import { type ChooseParts, createChooseProvider } from './choose-provider.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { createProviderLoads } from './provider-loads.ts';

const NAMES = ['a', 'b', 'c'];
const clock = createTestClock();

function parts(given: Partial<ChooseParts> = {}): ChooseParts {
  return {
    providers: new Map(
      NAMES.map((name) => [
        name,
        {
          name,
          accounts: name === 'c' ? [] : [{ name: 'default', region: 'global' }],
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
          fallbacks: [],
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

test("a job that names a model goes to that model's provider, even if it has to wait", async () => {
  assert.equal(await choose({ model: 'b-1' }), 'b b-1 queue-b');
  assert.equal(await choose({ model: 'b-1' }, await limited('b')), 'b b-1 queue-b later');
});

test('a job that names a provider gets its default model there', async () => {
  assert.equal(await choose({ provider: 'b' }), 'b b-default queue-b');
  assert.equal(await choose({ provider: 'c' }), 'refuse');
});

test('a job that names no model follows the strategy and skips limited providers', async () => {
  assert.equal(await choose({}), 'a a-default queue-a');
  assert.equal(await choose({}, await limited('a')), 'b b-default queue-b');
  assert.equal(await choose({}, await limited('a', 'b')), 'a a-default queue-a later');
});

test('a job waits for the own circuit of its organisation, or goes to another provider', async () => {
  const own = (provider: string, organization: string) =>
    provider === 'a' && organization === 'failing' ? 5000 : 0;
  const all = parts({ ownCircuitWait: own });
  const failing = { organizationId: 'failing' };
  assert.equal(await choose(failing, all), 'b b-default queue-b');
  assert.equal(await choose({}, all), 'a a-default queue-a');
  const choice = await createChooseProvider(all)(job({ ...failing, provider: 'a' }));
  assert.partialDeepStrictEqual(choice, {
    runAt: clock.now() + 5000,
    waitCode: 'PROVIDER_UNAVAILABLE',
  });
});

test('without overflow a job waits for the first provider', async () => {
  const all = { ...(await limited('a')), overflow: 'delay' as const };
  assert.equal(await choose({}, all), 'a a-default queue-a later');
});

test("a raw-queue message overflows to the next provider's default model", async () => {
  assert.equal(await choose({ origin: 'queue', model: 'b-1' }), 'b b-1 queue-b');
  assert.equal(
    await choose({ origin: 'queue', model: 'b-1' }, await limited('b')),
    'a a-default queue-a',
  );
});

test("a model that no provider serves is refused with the field's name", async () => {
  const choice = await createChooseProvider(parts())(job({ model: 'nobody' }));
  assert.ok(choice.kind === 'refuse');
  assert.deepEqual(choice.verdict.params, { field: 'model' });
  assert.equal(await choose({ model: 'c-1' }), 'refuse');
});

test("a job for a limited provider waits until the limit's reset", async () => {
  const choice = await createChooseProvider(await limited('a'))(job({ model: 'a-1' }));
  assert.ok(choice.kind === 'route');
  assert.equal(choice.runAt, clock.now() + 60_000);
  assert.equal(choice.waitCode, 'AI_LIMIT_REACHED');
});

test('an alias follows its chain and skips limited providers', async () => {
  assert.equal(await choose({ model: 'smart' }), 'b b-2 queue-b');
  assert.equal(await choose({ model: 'smart' }, await limited('b')), 'a a-2 queue-a');
});

test('a provider with an open circuit is skipped if another is healthy', async () => {
  const isFailing = ({ provider }: { readonly provider: string }) => provider === 'a';
  assert.equal(await choose({}, parts({ isFailing })), 'b b-default queue-b');
  assert.equal(await choose({}, parts({ isFailing: () => true })), 'a a-default queue-a');
});

function counted(max: number, given: Partial<ChooseParts> = {}): ChooseParts {
  const limiter = createMemoryRateLimiter(clock);
  const metrics = createDispatchMetrics(createMetrics(), clock);
  const accounts = new Map(
    NAMES.map((name) => [name, [{ account: 'default', limits: [limitOf(name, max)] }]]),
  );
  return parts({
    dispatchLimit: createDispatchLimit({
      limiter,
      accounts,
      metrics,
      clock,
      newId,
    }),
    ...given,
  });
}

function limitOf(subject: string, max: number): Limit {
  return { tier: 'dispatcher', subject, kind: 'requests', max, windowMs: 60_000 };
}

async function chooseMany(count: number, using: ChooseParts): Promise<readonly string[]> {
  const chooseProvider = createChooseProvider(using);
  const chosen: string[] = [];
  for (let index = 0; index < count; index += 1)
    chosen.push(short(await chooseProvider(job({ origin: 'queue', provider: 'a' }))));
  return chosen;
}

test("messages over a provider's limit go to the next provider, and wait if all are at their limit", async () => {
  assert.deepEqual(await chooseMany(6, counted(2)), [
    'a a-default queue-a',
    'a a-default queue-a',
    'b b-default queue-b',
    'b b-default queue-b',
    'wait',
    'wait',
  ]);
});

test('without overflow messages over the limit wait, each with its own due time', async () => {
  const using = counted(1, { overflow: 'delay' });
  const chooseProvider = createChooseProvider(using);
  const message = job({ origin: 'queue', provider: 'a' });
  const choices = [];
  for (let index = 0; index < 3; index += 1) choices.push(await chooseProvider(message));
  const waits = choices.map((choice) =>
    choice.kind === 'wait' ? [choice.until - clock.now(), choice.code] : choice.kind,
  );
  assert.deepEqual(waits, ['route', [60_000, 'RATE_LIMITED'], [120_050, 'RATE_LIMITED']]);
});

test("a message with a fixed delay goes to the provider's queue", async () => {
  const using = counted(1, { overflow: 'delay', fixedDelayMs: 30_000 });
  const chooseProvider = createChooseProvider(using);
  const message = job({ origin: 'queue', provider: 'a' });
  await chooseProvider(message);
  const choice = await chooseProvider(message);
  assert.ok(choice.kind === 'route');
  assert.equal(choice.queue, 'queue-a');
  assert.equal(choice.fixedDelayMs, 30_000);
  assert.equal(choice.runAt, clock.now() + 30_000);
});

test("a caller's job is not counted by the dispatcher's limit", async () => {
  const chooseProvider = createChooseProvider(counted(1, { overflow: 'delay' }));
  for (let index = 0; index < 3; index += 1)
    assert.equal(short(await chooseProvider(job({ model: 'a-1' }))), 'a a-1 queue-a');
});

test('the permit of a message that is not routed can be released', async () => {
  const chooseProvider = createChooseProvider(counted(1, { overflow: 'delay' }));
  const message = job({ origin: 'queue', provider: 'a' });
  const choice = await chooseProvider(message);
  assert.ok(choice.kind === 'route');
  choice.releasePermit?.();
  assert.equal((await chooseProvider(message)).kind, 'route');
});

/** The provider `a` has two accounts in two regions. */
function twoAccounts(given: Partial<ChooseParts> = {}): ChooseParts {
  const all = parts();
  const accounts = [
    { name: 'default', region: 'us-east' },
    { name: 'second', region: 'eu-west' },
  ];
  const [a, b] = [all.providers.get('a'), all.providers.get('b')];
  assert.ok(a && b);
  const providers = new Map([
    ['a', { ...a, accounts }],
    ['b', b],
  ]);
  return { ...all, providers, ...given };
}

function learnt(account: string, region: string, resetInMs: number, model?: string) {
  const [setBy, setAt] = ['test', clock.now()];
  const resetAt = setAt + resetInMs;
  return { provider: 'a', region, account, model, resetAt, setBy, setAt, kind: 'learnt' } as const;
}

test('a learnt limit of one account does not delay a job that another account can take', async () => {
  for (const limit of [
    learnt('default', 'us-east', 60_000),
    learnt('second', 'eu-west', 60_000),
    learnt('default', 'us-east', 60_000, 'a-1'),
  ]) {
    const using = twoAccounts();
    await using.limits.set(limit);
    assert.equal(await choose({ model: 'a-1' }, using), 'a a-1 queue-a');
    assert.equal(await choose({ origin: 'queue', provider: 'a' }, using), 'a a-default queue-a');
  }
});

test('a job waits until the first of its limited accounts is usable again', async () => {
  const using = twoAccounts();
  await using.limits.set(learnt('default', 'us-east', 60_000));
  await using.limits.set(learnt('second', 'eu-west', 20_000));
  const choice = await createChooseProvider(using)(job({ model: 'a-1' }));
  assert.ok(choice.kind === 'route');
  assert.equal(choice.runAt, clock.now() + 20_000);
});

test('a provider is skipped for failures only when the circuits of all its accounts are open', async () => {
  const failing = new Set(['default']);
  const isFailing = ({ provider, account }: CircuitKey) =>
    provider === 'a' && failing.has(account ?? '');
  const using = twoAccounts({ isFailing });
  assert.equal(await choose({}, using), 'a a-default queue-a');
  failing.add('second');
  assert.equal(await choose({}, using), 'b b-default queue-b');
});

test("a message takes a slot of an account that has no learnt limit, from that account's count", async () => {
  const accounts = ['default', 'second'].map((account) => ({
    account,
    limits: [limitOf(`a:${account}`, 2)],
  }));
  const using = twoAccounts({
    overflow: 'delay',
    dispatchLimit: createDispatchLimit({
      limiter: createMemoryRateLimiter(clock),
      accounts: new Map([['a', accounts]]),
      metrics: createDispatchMetrics(createMetrics(), clock),
      clock,
      newId,
    }),
  });
  await using.limits.set(learnt('default', 'us-east', 30_000));
  const chosen = await chooseMany(3, using);
  assert.deepEqual(chosen, ['a a-default queue-a', 'a a-default queue-a', 'wait']);
  await using.limits.clear({ provider: 'a', region: 'us-east' });
  assert.deepEqual(await chooseMany(2, using), ['a a-default queue-a', 'a a-default queue-a']);
});

test('LEAST_LOADED routes messages in proportion to the rates of the providers, from one reading', async () => {
  let reads = 0;
  const rates: Readonly<Record<string, number>> = { a: 300, b: 100 };
  const loads = createProviderLoads({
    providers: ['a', 'b'],
    async depthOf() {
      reads += 1;
      return 0;
    },
    accountsOf: (name) => [{ perMinute: rates[name] ?? 0, headroom: undefined, isUsable: true }],
    clock,
  });
  const chooseOrder = createProviderStrategy({
    strategy: 'LEAST_LOADED',
    fixedProvider: 'a',
    availableProviders: ['a', 'b'],
    priorityOrder: [],
    weights: {},
    metadata: {},
  });
  const chosen = await chooseMany(40, parts({ chooseOrder, loads }));
  assert.equal(chosen.filter((choice) => choice.startsWith('a ')).length, 30);
  assert.equal(reads, 2);
});
