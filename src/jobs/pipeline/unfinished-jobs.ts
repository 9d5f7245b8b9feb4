// The waiting and running jobs of an organisation, for its deletion.

import type { JobState } from '../model/job-state.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { CancelJob } from './cancel-job.ts';

export type UnfinishedJobs = {
  exist(organizationId: string): Promise<boolean>;
  /** Cancels the jobs that exist when it starts; a job submitted meanwhile is not included. */
  cancelAll(organizationId: string): Promise<void>;
};

export type UnfinishedJobsParts = {
  readonly store: Pick<JobStore, 'list'>;
  readonly cancel: CancelJob;
};

const UNFINISHED = ['queued', 'delayed', 'running'] as const satisfies readonly JobState[];

const PAGE_SIZE = 100;

export function createUnfinishedJobs({ store, cancel }: UnfinishedJobsParts): UnfinishedJobs {
  /** Pages go from new to old by id, so the pass ends even if jobs are submitted faster than they are cancelled. */
  async function cancelIn(organizationId: string, state: JobState): Promise<void> {
    let before: string | undefined;
    do {
      const page = await store.list({
        organizationId,
        state,
        limit: PAGE_SIZE,
        ...(before !== undefined && { before }),
      });
      await Promise.all(page.map(({ publicId }) => cancel(organizationId, publicId)));
      before = page.at(-1)?.id;
    } while (before !== undefined);
  }

  return {
    async exist(organizationId) {
      for (const state of UNFINISHED)
        if ((await store.list({ organizationId, state, limit: 1 })).length > 0) return true;
      return false;
    },
    async cancelAll(organizationId) {
      // The second round finds jobs that moved to a state after its first pass.
      for (const state of [...UNFINISHED, ...UNFINISHED]) await cancelIn(organizationId, state);
    },
  };
}
