// `spillway serve`: everything in one process, until it is told to stop. What the first start needs is made
// by itself; what a person needs to know is printed once it is ready.

import type { RegisterCommand } from '../command.ts';

type ServeOptions = { readonly config?: string };

export const registerServe: RegisterCommand = (program, context) => {
  program
    .command('serve', { isDefault: true })
    .description('Run the gateway, the dispatcher and the workers in one process.')
    .option('--config <file>', 'configuration file (default: spillway.yaml where there is one)')
    .action(async (options: ServeOptions) => {
      // Loaded here, so that the other commands start without the server's weight.
      const { runServer } = await import('../run-server.ts');
      await runServer(context, options.config);
    });
};
