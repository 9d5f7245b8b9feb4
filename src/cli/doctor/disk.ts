// Is there room for the store and the journal? A full disk stops the gateway from accepting work.

import { statfsSync } from 'node:fs';
import { type DoctorCheck, failed, ok, warning } from './check.ts';
import { nearestFolder } from './folder.ts';

const TOO_LITTLE_BYTES = 100 * 2 ** 20;
const LITTLE_BYTES = 2 ** 30;

export const diskCheck: DoctorCheck = {
  name: 'disk',
  async look({ config: { storage } }) {
    const { bavail, bsize } = statfsSync(nearestFolder(storage.dataDir));
    const free = bavail * bsize;
    const sentence = `${Math.floor(free / 2 ** 20)} MiB are free for ${storage.dataDir}.`;
    if (free >= LITTLE_BYTES) return [ok(sentence)];
    const mend = 'Make room on that disk, or set SPILLWAY_DATA_DIR to a folder on a larger one.';
    return [free < TOO_LITTLE_BYTES ? failed(sentence, mend) : warning(sentence, mend)];
  },
};
