import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImportResult, importPeer } from '../import-peer.ts';

function run(text: string, env: Record<string, string> = {}): ImportResult {
  return importPeer({ peer: 'litellm', fileName: 'config.yaml', text, env });
}

/** A model list in short: `name: vendor/model`, one line each. */
function models(...entries: readonly string[]): string {
  const lines = entries.map((entry) => {
    const [name = '', ...params] = entry.split(' ');
    const [model = '', ...rest] = params;
    const own = [`model: ${model}`, ...rest.map((each) => each.replace('=', ': '))];
    return `  - { model_name: "${name}", litellm_params: { ${own.join(', ')} } }`;
  });
  return `model_list:\n${lines.join('\n')}\n`;
}

function finding({ findings }: ImportResult, path: string) {
  return findings.find((each) => each.path === path);
}

function chain({ config }: ImportResult, alias: string): readonly string[] {
  const { targets = [], fallbacks = [] } = config.aliases[alias] ?? {};
  const show = (list: typeof targets) => list.map(({ provider, model }) => `${provider}/${model}`);
  return [...show(targets), '|', ...show(fallbacks)];
}

test('a group of deployments becomes an alias with targets that take turns', () => {
  const result = run(models('fast openai/gpt-4o', 'fast groq/llama-3.3-70b'));
  assert.deepEqual(chain(result, 'fast'), ['openai/gpt-4o', 'groq/llama-3.3-70b', '|']);
  assert.equal(result.config.aliases['fast']?.strategy, 'round-robin');
});

test('weights are shares of the targets; the accounts of one target take equal turns', () => {
  const result = run(models('fast openai/gpt-4o weight=7', 'fast groq/llama weight=3'));
  assert.deepEqual(
    { ...result.config.aliases['fast']?.weights },
    { 'openai/gpt-4o': 7, 'groq/llama': 3 },
  );
  const accounts = run(
    models('a groq/x weight=9 api_key=os.environ/ONE', 'a groq/x weight=1 api_key=os.environ/TWO'),
  );
  assert.equal(accounts.config.aliases['a']?.weights, undefined);
  assert.equal(finding(accounts, 'model_list[0].litellm_params.weight')?.status, 'changed');
});

test('deployments with a higher order are fallbacks', () => {
  const result = run(models('fast groq/llama order=2', 'fast openai/gpt-4o order=1'));
  assert.deepEqual(chain(result, 'fast'), ['openai/gpt-4o', '|', 'groq/llama']);
});

test('fallbacks, defaults and wildcards lead to the targets of their groups', () => {
  const text = `${models('a openai/a', 'b groq/b', 'c mistral/c', 'anthropic/* anthropic/*')}
litellm_settings: { default_fallbacks: [c] }
router_settings: { fallbacks: [{ a: [b, anthropic/claude-x, gone] }] }`;
  const result = run(text);
  assert.deepEqual(chain(result, 'a'), ['openai/a', '|', 'groq/b', 'anthropic/claude-x']);
  assert.deepEqual(chain(result, 'b'), ['groq/b', '|', 'mistral/c']);
  assert.match(finding(result, 'router_settings.fallbacks[0].a[2]')?.reason ?? '', /not a model/);
});

test('a name with a slash stays the name that callers use', () => {
  const result = run(models('team/smart openai/gpt-4o'));
  assert.deepEqual(chain(result, 'team/smart'), ['openai/gpt-4o', '|']);
});

test('a wildcard becomes a pattern of its provider', () => {
  const result = run(models('llama-* groq/*', '* openai/*'));
  assert.deepEqual(result.config.providers['groq']?.models, ['llama-*']);
  assert.deepEqual(result.config.providers.openai.models, ['*']);
  const renamed = run(models('my-* openai/gpt-*'));
  assert.match(finding(renamed, 'model_list[0].litellm_params.model')?.reason ?? '', /renames/);
});

test('drop_params drops fields only where a target has another wire format', () => {
  const { config } = run(
    `${models('smart anthropic/claude-x', 'plain openai/x')}litellm_settings: { drop_params: true }`,
  );
  assert.equal(config.aliases['smart']?.translate, 'lenient');
  assert.equal(config.aliases['plain']?.translate, 'strict');
});

test('an address in a variable is looked up, and the entry is left out without it', () => {
  const text = models('a azure/d api_base=os.environ/BASE api_key=os.environ/K');
  const env = { BASE: 'https://acme.openai.azure.com/' };
  const result = run(text, env);
  assert.equal(
    result.config.providers['azure']?.baseUrl,
    'https://acme.openai.azure.com/openai/v1',
  );
  assert.match(
    finding(run(text), 'model_list[0]')?.reason ?? '',
    /variable BASE, which is not set/,
  );
});

test('an address with credentials leaves the entry out without showing it', () => {
  const result = run(models('a openai/x api_base=https://user:pass@h.example/v1'));
  assert.match(finding(result, 'model_list[0]')?.reason ?? '', /contains credentials/);
  assert.doesNotMatch(JSON.stringify(result.findings), /pass@/);
});

test('vendors that sign requests or are unknown are left out with a reason', () => {
  const result = run(models('a bedrock/x', 'b vertex_ai/x', 'c nowhere/x', 'd openai/x'));
  const reasons = [0, 1, 2].map((index) => finding(result, `model_list[${index}]`)?.reason);
  assert.match(reasons.join('; '), /sign requests.*Google Cloud tokens.*not known/);
  assert.deepEqual(Object.keys(result.config.aliases), ['d']);
});

test('prices per token become prices per million', () => {
  const result = run(
    models('a openai/x input_cost_per_token=0.000003 output_cost_per_token=0.000015'),
  );
  assert.deepEqual(result.config.prices.models['openai/x'], { inputUsd: 3, outputUsd: 15 });
});

test('a server without a key has a price of zero', () => {
  const result = run(models('a ollama/llama3'));
  assert.deepEqual(result.config.prices.models['ollama/*'], { inputUsd: 0, outputUsd: 0 });
});

test('retries, timeouts and cooldowns become settings; the router overrides', () => {
  const { config } = run(`
litellm_settings: { num_retries: 1, request_timeout: 900 }
router_settings: { num_retries: 4, stream_timeout: 20, allowed_fails: 0, cooldown_time: 5, retry_after: 2 }`);
  assert.equal(config.retry.errorRetries, 4);
  assert.equal(config.retry.timeoutRetries, 0);
  assert.equal(config.retry.baseMs, 2000);
  assert.deepEqual([config.timeouts.unaryMs, config.timeouts.totalMs], [900_000, 900_000]);
  assert.equal(config.timeouts.firstContentMs, 20_000);
  assert.deepEqual([config.breaker.failures, config.breaker.openMs], [1, 5000]);
});

test('budgets become commands for the organisation and a key', () => {
  const { commands } = run(`litellm_settings:
  max_budget: 100
  budget_duration: 1d
  default_key_generate_params: { max_budget: 5, budget_duration: 30d, rpm_limit: 9, models: [a] }`);
  assert.deepEqual(commands, [
    ['orgs', 'set', 'default', '--budget', '3000'],
    'keys create --org default --name imported --budget 5 --rpm 9 --model a'.split(' '),
  ]);
});

test('a number in a variable is left out instead of guessed', () => {
  const result = run(models('a openai/x rpm=os.environ/RPM'));
  assert.match(finding(result, 'model_list[0].litellm_params.rpm')?.reason ?? '', /in a variable/);
});

test('a name with spaces is replaced by a name without spaces everywhere', () => {
  const result = run(`model_list:
  - { model_name: My Model, litellm_params: { model: openai/x } }
  - { model_name: other, litellm_params: { model: groq/y } }
router_settings: { fallbacks: [{ My Model: [other] }, { other: [My Model] }] }`);
  assert.deepEqual(chain(result, 'My-Model'), ['openai/x', '|', 'groq/y']);
  assert.deepEqual(chain(result, 'other'), ['groq/y', '|', 'openai/x']);
  assert.match(finding(result, 'model_list[0].model_name')?.reason ?? '', /no spaces/);
});

test('a secret of the file never gets the name of a variable that the file refers to', () => {
  const { variables } = run(
    models('a openai/x api_key=sk-literal', 'b openai/y api_key=os.environ/OPENAI_API_KEY'),
  );
  assert.deepEqual(
    variables.map(({ name, source }) => [name, source]),
    [
      ['OPENAI_API_KEY_2', 'literal'],
      ['OPENAI_API_KEY', 'reference'],
    ],
  );
});

test('the name of a variable keeps its spelling', () => {
  const { variables } = run(models('a openai/x api_key=os.environ/openai_key'));
  assert.deepEqual(
    variables.map(({ name }) => name),
    ['openai_key'],
  );
});

test('a number may have underscores, as in YAML of Python', () => {
  const { config } = run(models('a groq/x tpm=20_000'));
  assert.equal(config.providers['groq']?.accounts[0]?.tokensPerMinute, 20_000);
});
