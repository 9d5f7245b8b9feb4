// Runs a registered command in this process, as main.ts would.

import { Command } from 'commander';
import { registerCommands } from '../../../src/cli/commands.ts';
import { silentProgress } from '../../../src/cli/progress.ts';

/** Resolves with the command's output; rejects with the error that main.ts would print. */
export async function runCommand(
  dataDir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  let printed = '';
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  const context = {
    env: { SPILLWAY_DATA_DIR: dataDir, PORT: '0', ...env },
    cwd: dataDir,
    isStdinTerminal: false,
    out: (text: string) => void (printed += text),
    err: () => {},
    readStdin: () => Promise.resolve(''),
    progress: silentProgress,
  };
  registerCommands(program, context);
  await program.parseAsync([...args], { from: 'user' });
  return printed;
}
