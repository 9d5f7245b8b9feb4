// Checks the free disk space for the store and the journal. A full disk stops the gateway from accepting work.

import { statfsSync } from 'node:fs';
import { type DoctorCheck, failed, ok, warning } from './check.ts';
import { nearestFolder } from './folder.ts';

const MIN_FREE_BYTES = 100 * 2 ** 20;
const LOW_FREE_BYTES = 2 ** 30;

export const diskCheck: DoctorCheck = {
  name: 'disk',
  async inspect({ config: { storage } }) {
    const { bavail, bsize } = statfsSync(nearestFolder(storage.dataDir));
    const free = bavail * bsize;
    const sentence = `${Math.floor(free / 2 ** 20)} MiB are free for ${storage.dataDir}.`;
    if (free >= LOW_FREE_BYTES) return [ok(sentence)];
    const mend = 'Free space on that disk, or set SPILLWAY_DATA_DIR to a folder on a larger disk.';
    return [free < MIN_FREE_BYTES ? failed(sentence, mend) : warning(sentence, mend)];
  },
};
