// `spillway migrate`: runs pending migrations and lists them. Embedded storage also runs them whenever it is opened.
// PostgreSQL may be migrated while servers are running.

import { findServer } from '../../app/find-server.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type AdminOptions, isSpillway } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import type { CliContext, RegisterCommand } from '../command.ts';
import { silentProgress } from '../progress.ts';

export const registerMigrate: RegisterCommand = (program, context) => {
  adminCommand(program, 'migrate', 'Run pending migrations of the store and list them').action(
    (options: AdminOptions) => migrate(context, options),
  );
};

async function migrate(context: CliContext, options: AdminOptions): Promise<void> {
  const { env, cwd } = context;
  const config = loadConfig({ env, cwd, configFile: options.config });
  const isEmbedded = config.storage.databaseUrl === undefined;
  const { url, pid } = findServer(config);
  if (isEmbedded && url !== undefined && pid !== undefined && (await isSpillway(url)))
    return print(context, options, [], `The server on ${url} ran all migrations when it started.`);
  // Imported on demand: the other commands do not need the store.
  const { migrateStore } = await import('../../app/inspect/migrate-store.ts');
  const progress = options.json ? silentProgress : context.progress;
  progress.show('Running migrations; a large store takes a while …');
  const run = await migrateStore(config).finally(() => progress.clear());
  const sentence =
    run.length === 0
      ? 'The store is up to date; nothing was run.'
      : `The store is up to date. Run now: ${run.join(', ')}.`;
  print(context, options, run, sentence);
}

function print(
  context: CliContext,
  options: AdminOptions,
  run: readonly string[],
  sentence: string,
): void {
  context.out(options.json ? JSON.stringify({ run }) : sentence);
}
