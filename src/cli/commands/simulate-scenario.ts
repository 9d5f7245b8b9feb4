// `spillway simulate scenario`: makes the providers of the running server fail, while the built-in simulator stands in for
// them. A limit that the preset states lasts ten minutes unless --reset-in says otherwise.

import type { Command } from 'commander';
import { nearest } from '../../config/nearest.ts';
import { pageOf } from '../../http/paging.ts';
import { limitView } from '../../http/routes/admin-limits.ts';
import { PRESETS } from '../../simulator/scenario/presets.ts';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand, readCount } from '../admin-options.ts';
import { type CliContext, CliFailure, EXIT } from '../command.ts';
import { readChoice } from '../read-choice.ts';
import { isoTime } from '../table.ts';

const PROVIDERS = ['anthropic', 'openai', 'gemini'] as const;
const DEFAULT_RESET_SECONDS = 600;
const PATH = '/admin/simulator/scenario';

type ScenarioOptions = AdminOptions & {
  readonly provider?: string;
  readonly model?: string;
  readonly times?: number;
  readonly resetIn?: number;
};

export function registerScenario(simulate: Command, context: CliContext): void {
  adminCommand(
    simulate,
    'scenario <preset>',
    'Make the simulated providers of the running server fail, or healthy again',
  )
    .option('--provider <name>', 'only this provider: anthropic, openai or gemini', readProvider)
    .option('--model <model>', 'only this model')
    .option('--times <number>', 'only the next requests, this number of them', readCount)
    .option('--reset-in <seconds>', 'seconds until a limit ends (default: 600)', readCount)
    // `simulate` also has --json, and commander takes the option from its subcommands.
    .action((preset: string, _own: ScenarioOptions, command: Command) =>
      set(context, preset, command.optsWithGlobals<ScenarioOptions>()),
    );
}

const readProvider = readChoice(PROVIDERS);

async function set(context: CliContext, preset: string, options: ScenarioOptions): Promise<void> {
  const { provider, model, times } = options;
  const isScoped = provider !== undefined || model !== undefined || times !== undefined;
  const scenario = {
    preset,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(times !== undefined && { times }),
    ...resetOf(preset, options.resetIn),
  };
  await withAdmin(context, options, async (admin) => {
    if (!admin.isServer)
      throw new CliFailure('No server is running; start it with: spillway serve');
    // `healthy` without a scope ends every scenario, also the scenarios of single providers.
    const request =
      preset === 'healthy' && !isScoped
        ? ({ method: 'DELETE', path: PATH } as const)
        : ({ method: 'PUT', path: PATH, body: scenario } as const);
    await admin.call({ ...request, errorTexts: NOT_SIMULATED });
    if (options.json) return context.out(JSON.stringify(scenario));
    context.out(sentence(preset, options));
    if (preset === 'healthy') for (const line of await limitsInForce(admin)) context.out(line);
  });
}

/** A provider that is healthy again is still not called before the reset that it stated. */
async function limitsInForce(admin: AdminApi): Promise<readonly string[]> {
  const answer = await admin.call({ method: 'GET', path: '/admin/limits' });
  return pageOf(limitView)
    .parse(answer)
    .data.map(({ provider, region, resetAt }) => {
      const remedy = `spillway limits clear ${provider} ${region}`;
      return `${provider} is not called before ${isoTime(resetAt)}, the reset it stated; to call it now: ${remedy}`;
    });
}

const NOT_SIMULATED = {
  NOT_FOUND:
    'The server calls real providers; the simulator stands in only while no provider key is set.',
};

function sentence(preset: string, options: ScenarioOptions): string {
  const { provider = 'every provider', model, resetIn } = options;
  const scope = model === undefined ? provider : `${provider} with ${model}`;
  const { resetInSeconds } = resetOf(preset, resetIn);
  const end = resetInSeconds === undefined ? '' : ` Its limit ends in ${resetInSeconds} s.`;
  return `The simulator plays ${preset} for ${scope}.${end}`;
}

function resetOf(preset: string, resetIn: number | undefined): { resetInSeconds?: number } {
  const hasReset = 'resetInSeconds' in presetOf(preset).scenario;
  if (!hasReset && resetIn === undefined) return {};
  return { resetInSeconds: resetIn ?? DEFAULT_RESET_SECONDS };
}

function presetOf(name: string): (typeof PRESETS)[keyof typeof PRESETS] {
  const known = Object.entries(PRESETS).find(([each]) => each === name);
  if (known) return known[1];
  const names = Object.keys(PRESETS);
  throw new CliFailure(
    `There is no preset ${name}; the nearest is ${nearest(name, names)}. Presets: ${names.join(', ')}.`,
    EXIT.usage,
  );
}
