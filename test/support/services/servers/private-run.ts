// One folder of private servers and its reaper. Closing ends every process in the folder, removes it and
// dismisses the reaper; it is idempotent and may happen at any time.

import { randomBytes } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reaper } from './reaper.ts';
import { tearDown } from './tear-down.ts';

/** The prefix of private server folders, which also identifies the folders of other runs. */
export const FOLDER_PREFIX = 'spillway-services-';

export class PrivateRun {
  readonly folder: string;
  readonly reaper: Reaper;
  #closing: Promise<void> | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.reaper = new Reaper(folder);
  }

  /**
   * The reaper starts before the folder exists, so that a kill at any point leaves nothing behind. The path
   * is resolved, because processes are recognised by their working directory.
   */
  static async open(): Promise<PrivateRun> {
    const name = `${FOLDER_PREFIX}${randomBytes(6).toString('hex')}`;
    const run = new PrivateRun(join(await realpath(tmpdir()), name));
    try {
      await mkdir(run.folder, { mode: 0o700 });
    } catch (error) {
      await run.reaper.dismiss();
      throw error;
    }
    return run;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await tearDown(this.folder, this.reaper.roots);
    await this.reaper.dismiss();
  }
}
