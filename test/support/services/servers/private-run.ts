// One folder of private servers and the reaper that answers for it. Closing ends every process in it,
// removes the folder and dismisses the reaper; it may be called at any time and more than once.

import { randomBytes } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reaper } from './reaper.ts';
import { tearDown } from './tear-down.ts';

/** How the folders of private servers are called, and so how those of another run are recognised. */
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
   * The reaper is there before the folder, so that there is no moment in which a kill would leave it. The
   * path is the real one, since processes are recognised by the folder they work in.
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
