// `spillway migrate`: brings the store up to date. Embedded storage also does so by itself whenever it is opened;
// this says what there was to do. PostgreSQL may be migrated beside servers that are running.

import { findServer } from '../../app/find-server.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type AdminOptions, isOurs } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import type { CliContext, RegisterCommand } from '../command.ts';

export const registerMigrate: RegisterCommand = (program, context) => {
  adminCommand(program, 'migrate', 'Bring the store up to date and say what was run').action(
    (options: AdminOptions) => migrate(context, options),
  );
};

async function migrate(context: CliContext, options: AdminOptions): Promise<void> {
  const { env, cwd } = context;
  const config = loadConfig({ env, cwd, configFile: options.config });
  const isEmbedded = config.storage.databaseUrl === undefined;
  const { url, pid } = findServer(config);
  if (isEmbedded && url !== undefined && pid !== undefined && (await isOurs(url)))
    return tell(
      context,
      options,
      [],
      `The server on ${url} brought its store up to date when it started.`,
    );
  // Loaded here, so that the other commands start without the store's weight.
  const { migrateStore } = await import('../../app/inspect/migrate-store.ts');
  const run = await migrateStore(config);
  const sentence =
    run.length === 0
      ? 'The store is up to date; nothing was run.'
      : `The store is up to date. Run now: ${run.join(', ')}.`;
  tell(context, options, run, sentence);
}

function tell(
  context: CliContext,
  options: AdminOptions,
  run: readonly string[],
  sentence: string,
): void {
  context.out(options.json ? JSON.stringify({ run }) : sentence);
}
