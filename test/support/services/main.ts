// `npm run services`: the private servers of the tests, for development. Progress goes to standard error;
// standard output carries only lines that a shell can evaluate. Runs until Ctrl-C and leaves nothing behind.
//
//   node main.ts [--parent=<pid>] ends when the process with that id, its starter, has ended

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startServices } from './start-services.ts';
import { listenForStop, StopReason } from './stop-request.ts';

const parent = process.argv.find((word) => word.startsWith('--parent='))?.split('=')[1];
process.exitCode = await main(parent === undefined ? undefined : Number(parent));

async function main(parentPid: number | undefined): Promise<number> {
  const log = (line: string) => console.error(line);
  const stop = listenForStop(log, parentPid);
  try {
    log('Starting Redis, RabbitMQ and PostgreSQL (a few seconds) …');
    const services = await startServices({ env: process.env, log, signal: stop.signal });
    try {
      await keepRunning(services.environment(), services.folder, stop.signal);
    } finally {
      await services.close();
      log('Ended; nothing is left behind.');
    }
    return 0;
  } catch (error) {
    if (error instanceof StopReason) return error.exitCode;
    log(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    stop.release();
  }
}

async function keepRunning(
  urls: Record<string, string>,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (const name of Object.keys(urls)) console.log(`export ${name}='${urls[name]}'`);
  if (folder) console.error(`Data and logs are in ${folder}.`);
  if (folder && existsSync(join(folder, 'rabbitmq', 'rabbitmqctl')))
    console.error(`RabbitMQ is managed with ${join(folder, 'rabbitmq', 'rabbitmqctl')}.`);
  console.error('Running; Ctrl-C ends them.');
  const keepAlive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(keepAlive);
}
