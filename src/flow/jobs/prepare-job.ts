// Prepares a job for its run: fetches the images that it names by URL, within the bounds of the image quota. It happens
// outside the worker's slot and before the permit, so that a slow image host costs other tenants neither.

import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { BusyPreparation, Preparation, PrepareJob } from '../../jobs/ports/job-runner.ts';
import { type FetchImages, isData } from './fetch-images.ts';
import type { ImageLease, ImageQuota } from './image-quota.ts';
import { failureOf } from './run-job.ts';

export function createPrepareJob(fetchImages: FetchImages, quota: ImageQuota): PrepareJob {
  return ({ organizationId }, { images = [] }) => {
    if (images.every(isData)) return undefined;
    const admission = quota.admit(organizationId);
    if (admission.kind === 'full') return { kind: 'busy', retryAfterMs: admission.retryAfterMs };
    const { lease } = admission;
    const fetch = (signal: AbortSignal) => fetchWithin(fetchImages, images, lease, signal);
    return { kind: 'admitted', fetch };
  };
}

async function fetchWithin(
  fetchImages: FetchImages,
  urls: readonly string[],
  lease: ImageLease,
  signal: AbortSignal,
): Promise<Preparation | BusyPreparation> {
  let isFull = false;
  function onBytes(bytes: number): void {
    isFull = !lease.addBytes(bytes);
    if (isFull) throw new SpillwayError('CAPACITY_EXHAUSTED', 'the image quota is used up');
  }
  try {
    const images = await fetchImages(urls, signal, onBytes);
    lease.fetched();
    return { kind: 'ready', images, release: () => lease.release() };
  } catch (thrown) {
    lease.release();
    if (isFull) return { kind: 'busy', retryAfterMs: lease.retryAfterMs() };
    return { kind: 'failed', outcome: failureOf(toSpillwayError(thrown)) };
  }
}
