// Servers of one test with a configuration of their own: Redis replicas and Sentinels, a Redis with TLS, a connection
// pooler. They end with the test, even when the test is killed.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canConnect } from '../plans/probe-connection.ts';
import { serverEnvironment } from '../plans/server-environment.ts';
import type { Owner } from '../plans/server-plan.ts';
import type { ServiceHandle } from '../service-handle.ts';
import { PrivateRun } from './private-run.ts';
import { PrivateServer } from './private-server.ts';

export type GroupMember = {
  /** Also the name of its folder. */
  readonly title: string;
  readonly program: string;
  readonly url: string;
  readonly port: number;
  /** Files in its folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly owner?: Owner;
};

export class ServerGroup {
  readonly #run: PrivateRun;

  private constructor(run: PrivateRun) {
    this.#run = run;
  }

  static async open(): Promise<ServerGroup> {
    return new ServerGroup(await PrivateRun.open());
  }

  /** Resolves when the server accepts connections. */
  async start(member: GroupMember): Promise<ServiceHandle> {
    const folder = join(this.#run.folder, member.title);
    const { title, url, port, program: file, args, owner } = member;
    const server = new PrivateServer(
      {
        title,
        url,
        port,
        folder,
        stopSignal: 'SIGTERM',
        endSignal: 'SIGKILL',
        prepare: () => writeFiles(folder, member.files),
        command: () => ({
          file,
          args,
          env: serverEnvironment(folder),
          ...(owner ? { owner } : {}),
        }),
        probe: () => probe(title, port),
        clear: () => Promise.resolve(),
      },
      this.#run.reaper,
    );
    await server.create();
    return server;
  }

  close(): Promise<void> {
    return this.#run.close();
  }
}

/** Readable by the user that the server runs as. */
async function writeFiles(folder: string, files: GroupMember['files']): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

async function probe(title: string, port: number): Promise<void> {
  if (!(await canConnect({ host: '127.0.0.1', port })))
    throw new Error(`${title} accepts no connection yet`);
}
