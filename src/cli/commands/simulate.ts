// `spillway simulate`: only the provider simulator, for testing an application against failing providers. It runs
// until it is interrupted, stores no data and needs no key.

import type { Command } from 'commander';
import { systemClock } from '../../kernel/clock.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { CliContext, RegisterCommand } from '../command.ts';
import { CliFailure } from '../command.ts';
import { readPort } from '../read-port.ts';
import { registerScenario } from './simulate-scenario.ts';

type Options = { readonly port: number; readonly host: string; readonly json?: boolean };

export const registerSimulate: RegisterCommand = (program: Command, context: CliContext) => {
  const command = program
    .command('simulate')
    .description('Run only the provider simulator: all three wire formats, failures on demand')
    .option('--port <port>', 'port to listen on (0 takes a free one)', readPort, 8788)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--json', 'print the address as one line of JSON')
    .action((options: Options) => simulate(options, context));
  registerScenario(command, context);
};

async function simulate(options: Options, context: CliContext): Promise<void> {
  const simulator = await start(options);
  const { url } = simulator;
  context.out(options.json ? JSON.stringify({ url }) : introduction(url));
  await interrupted();
  await simulator.close();
}

async function start({ host, port }: Options): Promise<Simulator> {
  // Loaded here: every command registers this one.
  const { startSimulator } = await import('../../simulator/simulator.ts');
  try {
    return await startSimulator({ host, port, clock: systemClock });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    const reason = REASONS.get(code) ?? code;
    throw new CliFailure(`Cannot listen on ${host}:${port}: ${reason}.`, undefined, cause);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'the port is in use; choose another with --port'],
  ['EACCES', 'this port needs more rights; choose one above 1023 with --port'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'there is no such host'],
]);

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function introduction(url: string): string {
  return `The simulator listens on ${url}. It accepts any API key.

Point an SDK at it:
  Anthropic  ANTHROPIC_BASE_URL=${url}
  OpenAI     OPENAI_BASE_URL=${url}/v1
  Gemini     GEMINI_BASE_URL=${url}  (new GoogleGenAI({ httpOptions: { baseUrl: '${url}' } }))

Make it fail:
  curl ${url}/_simulator/scenarios
  curl -X PUT ${url}/_simulator/scenario -d '{"preset":"usage-limit","resetInSeconds":600}'
  curl -X PUT ${url}/_simulator/scenario -d '{"provider":"openai","preset":"stall","times":2}'
  curl -X DELETE ${url}/_simulator/scenario

Show its calls:
  curl ${url}/_simulator/log
  curl ${url}/_simulator/stats

Stop it with Ctrl+C.`;
}
