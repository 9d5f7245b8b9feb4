// `spillway config`: the effective configuration with its sources. It reads files and the environment, opens no store
// and shows at most the last four characters of a secret. main.ts prints a ConfigError.

import { describeConfig, sourcesByPath } from '../../config/describe-config.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { loadWithOrigins } from '../../config/load-config.ts';
import { maskConfig } from '../../config/mask-config.ts';
import { usesSimulator } from '../../config/providers/simulator-stand-in.ts';
import type { DescribedGroup, DescribedValue } from '../../config/schema/described-value.ts';
import type { RegisterCommand } from '../command.ts';

/** A longer value shifts only its own source to the right. */
const MAX_VALUE_WIDTH = 44;

type ConfigOptions = { readonly json?: boolean; readonly config?: string };

export const registerConfig: RegisterCommand = (program, context) => {
  program
    .command('config')
    .description(
      'Print the effective configuration with masked secrets and the source of each value',
    )
    .option('--json', 'as JSON')
    .option('--config <file>', 'read this file instead of spillway.yaml')
    .action((options: ConfigOptions) => {
      const { env, cwd } = context;
      const loaded = loadWithOrigins({ env, cwd, configFile: options.config });
      context.out(options.json ? asJson(loaded) : asText(loaded));
    });
};

function asJson(loaded: LoadedConfig): string {
  const { configPath = null, dotenvPath = null } = loaded.sources;
  const files = { config: configPath, dotenv: dotenvPath };
  const sources = sourcesByPath(describeConfig(loaded));
  return JSON.stringify({ files, config: maskConfig(loaded.config), sources }, null, 2);
}

function asText(loaded: LoadedConfig): string {
  const { configPath, dotenvPath } = loaded.sources;
  const head = [
    `file: ${configPath ?? 'none (spillway.yaml in this folder)'}`,
    `.env: ${dotenvPath ?? 'none'}`,
    ...(usesSimulator(loaded.config, { role: 'serve' })
      ? ['No provider has a key: `spillway serve` uses the simulator.']
      : []),
  ];
  const groups = describeConfig(loaded).map(groupAsText);
  return [head.join('\n'), ...groups].join('\n\n');
}

function groupAsText({ path, about, values }: DescribedGroup): string {
  const keyWidth = Math.max(...values.map(({ key }) => key.length));
  const valueWidth = Math.max(
    ...values.map((each) => Math.min(shown(each).length, MAX_VALUE_WIDTH)),
  );
  const lines = values.map(
    (each) => `  ${each.key.padEnd(keyWidth)}  ${shown(each).padEnd(valueWidth)}  ${origin(each)}`,
  );
  return [path === '' ? about : `${path}: ${about}`, ...lines].join('\n');
}

function shown({ value, whenUnset }: DescribedValue): string {
  if (value === undefined) return `- (${whenUnset ?? 'not set'})`;
  return value === '' || value === '{}' ? '-' : value;
}

function origin({ source, variable }: DescribedValue): string {
  if (source === 'preset') return 'preset of compat';
  const isFromVariable = source === 'environment' || source === '.env';
  return isFromVariable && variable !== undefined ? `${source} ${variable}` : source;
}
