// Announces the URL of this server: to the other servers of the cluster, and in the data folder for the command line.

import type { DataFolder } from '../../adapters/files/data-folder.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { OpenedMembership } from './open-membership.ts';

export type AnnounceContext = {
  readonly membership: Pick<OpenedMembership, 'listening'>;
  readonly folder: Pick<DataFolder, 'announce' | 'withdraw'>;
  readonly lifecycle: Lifecycle;
};

export function createAnnounce({ membership, folder, lifecycle }: AnnounceContext) {
  return async (url: string): Promise<void> => {
    await membership.listening(url);
    folder.announce({ url, pid: process.pid });
    lifecycle.onClose('announcement', () => folder.withdraw());
  };
}
