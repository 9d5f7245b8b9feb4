// `spillway import`. The readers of other gateways' files are loaded only when it runs: a server does not need them.

import { Argument } from 'commander';
import { PEERS, type Peer } from '../../config/import/peers.ts';
import { collect } from '../admin-options.ts';
import type { RegisterCommand } from '../command.ts';
import type { ImportOptions } from '../run-import.ts';

export const registerImport: RegisterCommand = (program, context) => {
  program
    .command('import')
    .description('Turn the configuration of another gateway into spillway.yaml')
    .addArgument(new Argument('<peer>', 'the gateway that the file belongs to').choices(PEERS))
    .argument('<file>', 'its configuration, YAML or JSON')
    .option('--out <file>', 'the file to write, or - for stdout', 'spillway.yaml')
    .option('--force', 'overwrite an existing file')
    .option('--model <model>', 'a model that callers send to a Portkey config; repeatable', collect)
    .option('--json', 'print the report as JSON')
    .action(async (peer: Peer, file: string, options: ImportOptions) => {
      const { runImport } = await import('../run-import.ts');
      runImport(context, peer, file, options);
    });
};
