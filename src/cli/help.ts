// The parts of `--help` that all commands share: descriptions of arguments, examples and exit codes. A test keeps the examples
// equal to docs/cli.md.

import type { Command } from 'commander';

type HelpPart = {
  readonly examples: readonly string[];
  /** Descriptions by the argument's name. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** When the command exits with 1, if it has a reason of its own. */
  readonly failsIf?: string;
};

const ORGANIZATION = { id: 'the id of the organisation' };
const SCOPE = {
  provider: 'the provider, such as anthropic',
  region: 'its region, as in limits list',
};
const SERVER = { id: 'the id of the server, as in servers list' };
const JOB = { id: 'the id of the job' };
const DEAD_LETTER = { id: 'the id of the dead letter, as in dlq list' };

const HELP: Readonly<Record<string, HelpPart>> = {
  serve: { examples: ['spillway serve', 'spillway serve --port 9000 --config production.yaml'] },
  gateway: { examples: ['SPILLWAY_DATA_DIR=/var/lib/spillway/gateway spillway gateway'] },
  dispatcher: { examples: ['SPILLWAY_DATA_DIR=/var/lib/spillway/dispatcher spillway dispatcher'] },
  worker: {
    examples: ['SPILLWAY_DATA_DIR=/var/lib/spillway/worker-1 spillway worker --provider gemini'],
  },
  simulate: { examples: ['spillway simulate --port 8788'] },
  'simulate scenario': {
    examples: [
      'spillway simulate scenario usage-limit --provider anthropic --reset-in 60',
      'spillway simulate scenario healthy',
    ],
    arguments: { preset: 'a preset of docs/simulator.md' },
  },
  migrate: { examples: ['spillway migrate'] },
  config: { examples: ['spillway config --json'] },
  import: { examples: ['spillway import litellm config.yaml --out spillway.yaml'] },
  explain: {
    examples: ["spillway explain 'Claude AI usage limit reached|1754636400' --locale tr"],
  },
  'keys create': {
    examples: ['spillway keys create --org default --name laptop --expires-at +90d'],
  },
  'keys list': { examples: ['spillway keys list --org default'] },
  'keys revoke': {
    examples: ['spillway keys revoke --org default key_01a1de45426770a5a90a94f0f69323fc'],
    arguments: { keyId: 'the id of the key, as in keys list' },
  },
  'orgs create': {
    examples: [
      'spillway orgs create acme --name "Acme Inc." --budget 250 --rpm 300 --time-zone Europe/Istanbul',
    ],
    arguments: ORGANIZATION,
  },
  'orgs list': { examples: ['spillway orgs list'] },
  'orgs set': {
    examples: [
      "spillway orgs set acme --budget 500 --tpm none --message 'BUDGET_EXCEEDED=Please write to billing@acme.example.'",
    ],
    arguments: ORGANIZATION,
  },
  'orgs delete': { examples: ['spillway orgs delete acme --force'], arguments: ORGANIZATION },
  'limits list': { examples: ['spillway limits list'] },
  'limits set': {
    examples: ['spillway limits set anthropic us-east --until +2h'],
    arguments: SCOPE,
  },
  'limits clear': { examples: ['spillway limits clear anthropic us-east'], arguments: SCOPE },
  'servers list': { examples: ['spillway servers list'] },
  'servers drain': { examples: ['spillway servers drain gateway-1'], arguments: SERVER },
  'servers maintenance': {
    examples: ['spillway servers maintenance gateway-1'],
    arguments: SERVER,
  },
  'servers resume': { examples: ['spillway servers resume gateway-1'], arguments: SERVER },
  'jobs list': { examples: ['spillway jobs list --org acme --status failed --limit 20'] },
  'jobs show': { examples: ['spillway jobs show order-4711'], arguments: JOB },
  'jobs cancel': { examples: ['spillway jobs cancel order-4711'], arguments: JOB },
  'dlq list': { examples: ['spillway dlq list'] },
  'dlq show': {
    examples: ['spillway dlq show job_01a1de45426770a5a90a94f0f69323fc'],
    arguments: DEAD_LETTER,
  },
  'dlq retry': { examples: ['spillway dlq retry --all'], arguments: DEAD_LETTER },
  'dlq purge': {
    examples: ['spillway dlq purge job_01a1de45426770a5a90a94f0f69323fc'],
    arguments: DEAD_LETTER,
  },
  doctor: { examples: ['spillway doctor --json'], failsIf: 'a check failed' },
  bench: { examples: ['spillway bench --short'], failsIf: 'a target was missed' },
  chaos: { examples: ['spillway chaos --row engines --seed 7'], failsIf: 'a row counted a loss' },
  clients: {
    examples: ['spillway clients --client Codex --failure budget'],
    failsIf: 'a client fared worse than with a direct connection',
  },
};

/** Adds the shared parts to all commands below `parent`. */
export function completeHelp(parent: Command, path: readonly string[] = []): void {
  for (const command of parent.commands) {
    const names = [...path, command.name()];
    completeHelp(command, names);
    const part = HELP[names.join(' ')];
    if (part === undefined) continue;
    for (const argument of command.registeredArguments)
      argument.description ||= part.arguments?.[argument.name()] ?? '';
    command.addHelpText('after', () => afterOptions(part));
  }
}

function afterOptions({ examples, failsIf }: HelpPart): string {
  const failure = failsIf === undefined ? 'a failure' : `a failure, or ${failsIf}`;
  return `
${examples.length === 1 ? 'Example' : 'Examples'}:
${examples.map((example) => `  ${example}`).join('\n')}

Exit codes: 0 success; 1 ${failure}; 2 wrong arguments or configuration.`;
}
