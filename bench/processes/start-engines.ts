// The engines of a row: services named in the environment, otherwise private instances that stop with the row.

import { SERVER_NAMES, type ServerName } from '../../test/support/services/service-catalogue.ts';
import type { Services } from '../../test/support/services/services.ts';
import { startServices } from '../../test/support/services/start-services.ts';
import type { Stage } from '../stage.ts';

export async function startEngines(
  stage: Stage,
  wanted: readonly ServerName[] = SERVER_NAMES,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Services> {
  const { signal } = stage;
  const log = (line: string) => stage.progress(line);
  stage.progress('starting the engines');
  const services = await startServices({ env, log, wanted, signal });
  stage.onClose(() => services.close());
  return services;
}
