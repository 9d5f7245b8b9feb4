// Bounds the images of jobs that this server fetches and holds: jobs and bytes, per organisation and in all. A job beyond
// a bound returns to its queue. Its delay grows with the number of refused jobs of its organisation, at the pace of the
// organisation's measured fetches, so that a long queue of slow images is not redelivered in a loop.

import type { Clock } from '../../kernel/clock.ts';

export type ImageBounds = { readonly jobs: number; readonly bytes: number };

export type ImageQuotaOptions = {
  readonly perOrganization: ImageBounds;
  readonly inAll: ImageBounds;
};

export type ImageAdmission =
  | { readonly kind: 'admitted'; readonly lease: ImageLease }
  | { readonly kind: 'full'; readonly retryAfterMs: number };

export type ImageLease = {
  /** False if a bound on bytes is reached; then nothing is counted. */
  addBytes(bytes: number): boolean;
  /** The delay of this job after a bound on bytes was reached. */
  retryAfterMs(): number;
  /** The fetch is over; its bytes still count. Idempotent. */
  fetched(): void;
  /** The job no longer needs its images. Idempotent. */
  release(): void;
};

type Held = { jobs: number; bytes: number; averageMs: number; dueAt: number };

export const IMAGE_BOUNDS: ImageQuotaOptions = Object.freeze({
  perOrganization: { jobs: 16, bytes: 48 * 2 ** 20 },
  inAll: { jobs: 64, bytes: 192 * 2 ** 20 },
});

const FIRST_ESTIMATE_MS = 1000;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;
/** Weight of the latest fetch in the average. */
const SMOOTHING = 0.2;

export class ImageQuota {
  readonly #options: ImageQuotaOptions;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #organizations = new Map<string, Held>();
  readonly #all = { jobs: 0, bytes: 0 };

  constructor(clock: Pick<Clock, 'monotonic'>, options: ImageQuotaOptions = IMAGE_BOUNDS) {
    this.#clock = clock;
    this.#options = options;
  }

  /** The number of organisations with images or refused jobs. */
  get size(): number {
    return this.#organizations.size;
  }

  admit(organizationId: string): ImageAdmission {
    const { perOrganization, inAll } = this.#options;
    this.#dropIdle();
    const held = this.#heldBy(organizationId);
    if (held.jobs >= perOrganization.jobs || this.#all.jobs >= inAll.jobs)
      return { kind: 'full', retryAfterMs: this.#nextRetryMs(held) };
    held.jobs += 1;
    this.#all.jobs += 1;
    return { kind: 'admitted', lease: this.#lease(held) };
  }

  #heldBy(organizationId: string): Held {
    const known = this.#organizations.get(organizationId);
    if (known) return known;
    const held = { jobs: 0, bytes: 0, averageMs: FIRST_ESTIMATE_MS, dueAt: 0 };
    this.#organizations.set(organizationId, held);
    return held;
  }

  /** Only organisations with images or a refused job that has yet to return keep an entry. */
  #dropIdle(): void {
    const now = this.#clock.monotonic();
    for (const [id, { jobs, bytes, dueAt }] of this.#organizations)
      if (jobs === 0 && bytes === 0 && dueAt < now) this.#organizations.delete(id);
  }

  #nextRetryMs(held: Held): number {
    const now = this.#clock.monotonic();
    const intervalMs = held.averageMs / this.#options.perOrganization.jobs;
    held.dueAt = Math.max(now + MIN_RETRY_MS, held.dueAt + intervalMs);
    held.dueAt = Math.min(held.dueAt, now + MAX_RETRY_MS);
    return Math.ceil(held.dueAt - now);
  }

  #lease(held: Held): ImageLease {
    const startedAt = this.#clock.monotonic();
    let bytesHeld = 0;
    let isFetching = true;
    const fetched = () => {
      if (!isFetching) return;
      isFetching = false;
      this.#count(held, -1, 0);
      held.averageMs += SMOOTHING * (this.#clock.monotonic() - startedAt - held.averageMs);
    };
    return {
      addBytes: (bytes) => {
        if (!this.#fits(held, bytes)) return false;
        bytesHeld += bytes;
        this.#count(held, 0, bytes);
        return true;
      },
      retryAfterMs: () => this.#nextRetryMs(held),
      fetched,
      release: () => {
        fetched();
        this.#count(held, 0, -bytesHeld);
        bytesHeld = 0;
      },
    };
  }

  #fits(held: Held, bytes: number): boolean {
    const { perOrganization, inAll } = this.#options;
    return held.bytes + bytes <= perOrganization.bytes && this.#all.bytes + bytes <= inAll.bytes;
  }

  #count(held: Held, jobs: number, bytes: number): void {
    held.jobs += jobs;
    held.bytes += bytes;
    this.#all.jobs += jobs;
    this.#all.bytes += bytes;
  }
}
