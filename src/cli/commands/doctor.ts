// `spillway doctor`. Its checks are loaded only when it runs: a server does not need them.

import type { AdminOptions } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import type { RegisterCommand } from '../command.ts';

export const registerDoctor: RegisterCommand = (program, context) => {
  adminCommand(
    program,
    'doctor',
    'Check this installation and print a remedy for each problem',
  ).action(async (options: AdminOptions) => {
    const { runDoctor } = await import('../doctor/run-doctor.ts');
    await runDoctor(context, options);
  });
};
