// One folder of private servers and the reaper that answers for it. Closing ends every process in it,
// removes the folder and dismisses the reaper; it may be called at any time and more than once.

import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER_PREFIX } from './install-packages.ts';
import { Reaper } from './reaper.ts';
import { tearDown } from './tear-down.ts';

export class PrivateRun {
  readonly folder: string;
  readonly reaper: Reaper;
  #closing: Promise<void> | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.reaper = new Reaper(folder);
  }

  /** The real path, since processes are recognised by the folder they work in. */
  static async open(): Promise<PrivateRun> {
    return new PrivateRun(await realpath(await mkdtemp(join(tmpdir(), FOLDER_PREFIX))));
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
