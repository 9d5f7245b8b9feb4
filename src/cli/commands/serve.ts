// `serve` runs everything in one process; `gateway`, `dispatcher` and `worker` run one role each, for clusters.

import type { Command } from 'commander';
import type { CliContext, RegisterCommand } from '../command.ts';

type RoleName = 'serve' | 'gateway' | 'dispatcher' | 'worker';
type RoleOptions = { readonly config?: string; readonly provider?: string };

export const registerServe: RegisterCommand = (program, context) => {
  const about = 'Run the gateway, the dispatcher and the workers in one process.';
  role(program.command('serve', { isDefault: true }).description(about), 'serve', context);
};

export const registerRoles: RegisterCommand = (program, context) => {
  const gateway = program
    .command('gateway')
    .description('Run only the gateway: it answers callers.');
  role(gateway, 'gateway', context);
  const dispatcher = program
    .command('dispatcher')
    .description('Run only a dispatcher: it routes jobs to providers.');
  role(dispatcher, 'dispatcher', context);
  const worker = program
    .command('worker')
    .description("Run only a worker: it works off one provider's jobs.")
    .option('--provider <name>', 'whose queue to take from (default: PROVIDER_FIXED)');
  role(worker, 'worker', context);
};

function role(command: Command, name: RoleName, context: CliContext): void {
  command
    .option('--config <file>', 'configuration file (default: spillway.yaml where there is one)')
    .action(async ({ config, provider }: RoleOptions) => {
      // Loaded here, so that the other commands start without the server's weight.
      const { runServer } = await import('../run-server.ts');
      await runServer(context, { role: name, configFile: config, provider });
    });
}
