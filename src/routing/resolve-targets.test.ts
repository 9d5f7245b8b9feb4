import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../kernel/provider-format.ts';
import { createResolveTargets, type RoutableAlias, type RoutingTable } from './resolve-targets.ts';
import type { RoutableProvider, Target } from './target.ts';
import { createTargetLoad } from './target-load.ts';

function provider(name: string, given: Partial<RoutableProvider> = {}): RoutableProvider {
  return {
    name,
    format: 'openai',
    baseUrl: `https://${name}.example/v1`,
    region: 'us-east',
    accounts: [{ name: 'default', apiKey: `key-of-${name}` }],
    models: [],
    ...given,
  };
}

const accounts = (...names: readonly string[]) => names.map((name) => ({ name, apiKey: name }));

const PROVIDERS = [
  provider('openai', { models: ['gpt-*'] }),
  provider('groq', { models: ['llama-*'], accounts: accounts('a', 'b', 'c') }),
  provider('anthropic', { format: 'anthropic', models: ['claude-*'] }),
  provider('keyless', { models: ['grok-*'], accounts: [] }),
];

function alias(name: string, strategy: RoutableAlias['strategy'], ...targets: string[]) {
  const split = (target: string) => {
    const [named = '', model = ''] = target.split('/');
    return { provider: named, model };
  };
  const own = targets.filter((each) => !each.startsWith('else '));
  const others = targets.filter((each) => each.startsWith('else ')).map((each) => each.slice(5));
  return { name, strategy, targets: own.map(split), fallbacks: others.map(split) };
}

function resolver(given: Partial<RoutingTable> = {}) {
  return createResolveTargets({ providers: PROVIDERS, aliases: [], loadOf: () => 0, ...given });
}

function orderOf(
  resolve: ReturnType<typeof resolver>,
  name: string,
  format?: ProviderFormat,
): string {
  const resolution = resolve(name, format);
  if (resolution.outcome !== 'targets') return resolution.outcome;
  return resolution.targets.map(({ provider: of, account }) => `${of}:${account}`).join(' ');
}

test('a model with one account resolves to the same frozen list every time', () => {
  const resolve = resolver();
  const first = resolve('gpt-5', 'openai');
  assert.ok(first.outcome === 'targets');
  assert.equal(resolve('gpt-5', 'openai'), first);
  assert.ok(Object.isFrozen(first.targets) && Object.isFrozen(first.targets[0]));
  assert.equal(first.isAlias, false);
});

test('a target carries everything a call needs', () => {
  const slashed = provider('slashed', { baseUrl: 'https://slashed.example/v1/' });
  const resolution = resolver({ providers: [slashed] })('slashed/gpt-5', 'openai');
  assert.ok(resolution.outcome === 'targets');
  assert.deepEqual(resolution.targets, [
    {
      provider: 'slashed',
      account: 'default',
      region: 'us-east',
      format: 'openai',
      model: 'gpt-5',
      origin: 'https://slashed.example',
      basePath: '/v1',
      apiKey: 'key-of-slashed',
    },
  ]);
});

test('the accounts of a provider take turns, and every order contains all of them', () => {
  const resolve = resolver();
  const orders = Array.from({ length: 6 }, () => orderOf(resolve, 'groq/llama-4', 'openai'));
  assert.equal(new Set(orders).size, 3);
  assert.deepEqual(orders.slice(3), orders.slice(0, 3));
  for (const order of orders) assert.deepEqual(order.split(' ').toSorted().length, 3);
});

test('a repeated turn returns the same list', () => {
  const resolve = resolver();
  const lists = Array.from({ length: 6 }, () => resolve('llama-3', 'openai'));
  const targets = lists.map((each) => each.outcome === 'targets' && each.targets);
  assert.equal(targets[0], targets[3]);
});

test('different names start with different accounts', () => {
  const resolve = resolver();
  const firsts = Array.from({ length: 30 }, (_, index) =>
    orderOf(resolve, `llama-${index}`, 'openai').slice(0, 'groq:a'.length),
  );
  for (const account of ['groq:a', 'groq:b', 'groq:c'])
    assert.equal(firsts.filter((first) => first === account).length, 10);
});

test("an account without a region has the provider's region", () => {
  const west = { name: 'west', apiKey: 'w', region: 'us-west' };
  const groq = provider('groq', { accounts: [{ name: 'east', apiKey: 'e' }, west] });
  const resolution = resolver({ providers: [groq] })('groq/x', 'openai');
  assert.ok(resolution.outcome === 'targets');
  const regions = resolution.targets.map(({ region, apiKey }) => `${apiKey} ${region}`);
  assert.deepEqual(regions.toSorted(), ['e us-east', 'w us-west']);
});

test('an ordered alias keeps the order of its targets and rotates their accounts', () => {
  const resolve = resolver({ aliases: [alias('fast', 'ordered', 'groq/x', 'openai/y')] });
  const turns = [1, 2, 3, 4].map(() => orderOf(resolve, 'fast', 'openai'));
  assert.deepEqual(turns, [
    'groq:a groq:b groq:c openai:default',
    'groq:b groq:c groq:a openai:default',
    'groq:c groq:a groq:b openai:default',
    'groq:a groq:b groq:c openai:default',
  ]);
  const resolution = resolve('fast', 'openai');
  assert.ok(resolution.outcome === 'targets' && resolution.isAlias);
});

test('a round-robin alias starts one target further each time', () => {
  const targets = ['openai/x', 'openai/y', 'openai/z'];
  const resolve = resolver({ aliases: [alias('spread', 'round-robin', ...targets)] });
  const models = [1, 2, 3, 4].map(() => {
    const resolution = resolve('spread', 'openai');
    return (
      resolution.outcome === 'targets' && resolution.targets.map((each) => each.model).join('')
    );
  });
  assert.deepEqual(models, ['xyz', 'yzx', 'zxy', 'xyz']);
});

test('round-robin over several accounts starts with every account equally often', () => {
  const resolve = resolver({ aliases: [alias('spread', 'round-robin', 'groq/x', 'openai/y')] });
  const firsts = Array.from({ length: 12 }, () => orderOf(resolve, 'spread').split(' ')[0]);
  const times = (name: string) => firsts.filter((first) => first === name).length;
  assert.deepEqual(['groq:a', 'groq:b', 'groq:c'].map(times), [2, 2, 2]);
  assert.equal(times('openai:default'), 6);
});

test('a least-loaded alias starts with the target that has the fewest calls in flight', () => {
  const load = createTargetLoad();
  const aliases = [alias('calm', 'least-loaded', 'openai/x', 'groq/y')];
  const resolve = resolver({ aliases, loadOf: load.of });
  const [first, second] = ordered(resolve('calm', 'openai'));
  assert.equal(first?.provider, 'openai');
  assert.ok(first && second);
  load.begun(first);
  load.begun(second);
  const busy = ordered(resolve('calm', 'openai')).slice(2);
  assert.deepEqual(busy.map(load.of), [1, 1]);
  load.ended(first);
  load.ended(first);
  assert.equal(load.of(first), 0);
});

test('a round-robin alias with weights starts with each target by its share', () => {
  const spread = alias('spread', 'round-robin', 'openai/x', 'groq/y', 'openai/z');
  const aliases = [{ ...spread, weights: { 'openai/x': 3, 'groq/y': 1 } }];
  const resolve = resolver({ aliases });
  const firsts = Array.from({ length: 24 }, () => ordered(resolve('spread'))[0]?.model);
  const times = (model: string) => firsts.filter((first) => first === model).length;
  assert.deepEqual(['x', 'y', 'z'].map(times), [18, 6, 0]);
  assert.equal(ordered(resolve('spread')).length, 5);
});

test('fallbacks follow after all targets under every strategy', () => {
  const load = createTargetLoad();
  const targets = ['openai/x', 'groq/y', 'else openai/last', 'else groq/final'];
  const strategies = ['ordered', 'round-robin', 'least-loaded'] as const;
  const aliases = strategies.map((strategy) => alias(strategy, strategy, ...targets));
  const resolve = resolver({ aliases, loadOf: load.of });
  for (const name of strategies)
    for (let turn = 0; turn < 6; turn += 1) {
      const models = ordered(resolve(name, 'openai')).map(({ model }) => model);
      assert.deepEqual(models.slice(4), ['last', 'final', 'final', 'final'], name);
      const [first] = ordered(resolve(name, 'openai'));
      if (first) load.begun(first);
    }
});

test('an alias without a key for its targets is served by its fallbacks', () => {
  const aliases = [alias('spare', 'round-robin', 'keyless/x', 'else openai/y')];
  assert.equal(orderOf(resolver({ aliases }), 'spare', 'openai'), 'openai:default');
});

test('only targets of the requested format are returned, and all without a format', () => {
  const aliases = [alias('mixed', 'ordered', 'anthropic/claude-x', 'openai/gpt-x')];
  const resolve = resolver({ aliases });
  assert.equal(orderOf(resolve, 'mixed', 'openai'), 'openai:default');
  assert.equal(orderOf(resolve, 'mixed', 'anthropic'), 'anthropic:default');
  assert.equal(orderOf(resolve, 'mixed'), 'anthropic:default openai:default');
  assert.equal(orderOf(resolve, 'mixed', 'gemini'), 'other_format');
  assert.equal(orderOf(resolve, 'gpt-5', 'anthropic'), 'other_format');
});

test('targets without a key are skipped; if no target has a key, the first provider is reported', () => {
  const aliases = [
    alias('half', 'ordered', 'keyless/x', 'openai/y'),
    alias('none', 'ordered', 'keyless/x'),
  ];
  const resolve = resolver({ aliases });
  assert.equal(orderOf(resolve, 'half', 'openai'), 'openai:default');
  assert.deepEqual(resolve('none', 'openai'), { outcome: 'no_key', provider: 'keyless' });
  assert.deepEqual(resolve('grok-4', 'openai'), { outcome: 'no_key', provider: 'keyless' });
});

test('an alias hides a model of the same name', () => {
  const resolve = resolver({ aliases: [alias('gpt-5', 'ordered', 'groq/x')] });
  assert.match(orderOf(resolve, 'gpt-5', 'openai'), /^groq/);
  assert.equal(orderOf(resolve, 'openai/gpt-5', 'openai'), 'openai:default');
  for (const name of ['', '/', 'nobody/x', '__proto__', 'constructor'])
    assert.equal(orderOf(resolve, name, 'openai'), 'unknown_model', name);
});

test('an alias may have the form provider/model and hides that model', () => {
  const aliases = [alias('openai/gpt-5', 'ordered', 'groq/x')];
  assert.match(orderOf(resolver({ aliases }), 'openai/gpt-5', 'openai'), /^groq/);
});

test('clearing the full cache changes no resolution', () => {
  const resolve = resolver({ aliases: [alias('turns', 'round-robin', 'openai/x', 'openai/y')] });
  const before = ordered(resolve('turns', 'openai'))[0]?.model;
  for (let index = 0; index < 5000; index += 1) resolve(`gpt-${index}`, 'openai');
  assert.equal(orderOf(resolve, 'gpt-1', 'openai'), 'openai:default');
  assert.notEqual(ordered(resolve('turns', 'openai'))[0]?.model, before);
});

function ordered(resolution: ReturnType<ReturnType<typeof resolver>>): readonly Target[] {
  return resolution.outcome === 'targets' ? resolution.targets : [];
}
