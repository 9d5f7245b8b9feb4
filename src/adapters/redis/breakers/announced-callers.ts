// The organisations with calls that Redis knows about. Failures of one organisation open a circuit for all only if no
// second organisation called, so the first call of each is sent at once instead of with the next batch, until Redis
// knows of two.

export class AnnouncedCallers {
  readonly #freshMs: number;
  readonly #announcedAt = new Map<string, number>();
  /** Redis has calls of two organisations until this time. */
  #sufficesUntil = Number.NEGATIVE_INFINITY;

  /** An announcement is repeated after `freshMs`. */
  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  /** Whether the call has to be sent at once. */
  isNews(organization: string, now: number): boolean {
    if (now < this.#sufficesUntil) return false;
    for (const [name, at] of this.#announcedAt)
      if (at <= now - this.#freshMs) this.#announcedAt.delete(name);
    if (this.#announcedAt.has(organization)) return false;
    this.#announcedAt.set(organization, now);
    if (this.#announcedAt.size >= 2) {
      this.#announcedAt.clear();
      this.#sufficesUntil = now + this.#freshMs;
    }
    return true;
  }
}
