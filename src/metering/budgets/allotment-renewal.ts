// Renews the allotments of this server in the store, settles reservations and allotments of dead servers, and observes
// whether the store is available. A renewal names all allotments of this server with their floors, so it is safe at any
// time, and the next renewal corrects a lost or late one.
//
// States: available → unavailable (a statement failed or was not answered in time) → available (a renewal was answered).

import type { Clock } from '../../kernel/clock.ts';
import { every, type Repetition } from '../../kernel/every.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import type { Journal } from '../usage/journal.ts';
import type { JournalEntry } from '../usage/journal-entry.ts';
import { Allotments } from './allotments.ts';
import type { CrossedThreshold } from './budget-threshold.ts';
import type { SharedBudgetStore } from './shared-budget-store.ts';

export type SharedBudgetParts = {
  readonly store: SharedBudgetStore;
  readonly serverId: string;
  /** The life of a standby allotment that is not renewed. */
  readonly reserveMs: number;
  /** Its entries reach the store soon after they are written. */
  readonly journal: Pick<Journal<JournalEntry>, 'append' | 'isWritable'>;
  /** Stores all entries of the journal; rejects while the store is unavailable. */
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCrossed: (thresholds: readonly CrossedThreshold[]) => void;
};

const RENEWAL_MS = 1000;
/** The interval while a working allotment pays. */
const WORKING_RENEWAL_MS = 250;
/** After an outage other servers get this long to store what they paid; then expired standby allotments are released. */
const STANDBY_GRACE_MS = 30_000;
const MAX_SETTLED = 500;

export class AllotmentRenewal {
  readonly allotments: Allotments;
  readonly #parts: SharedBudgetParts;
  readonly #onUnavailable: () => void;
  /** Unique per process: the allotments of a previous process with the same server id are settled through its journal. */
  readonly #owner: string;
  readonly #repetition: Repetition;
  #version = 0;
  /** Undefined while the store is unavailable; monotonic milliseconds. */
  #availableSince: number | undefined;

  constructor(parts: SharedBudgetParts, onUnavailable: () => void) {
    const { clock, serverId, reserveMs } = parts;
    this.#parts = parts;
    this.#onUnavailable = onUnavailable;
    this.#owner = `${serverId}/${newId('run')}`;
    this.#availableSince = clock.monotonic();
    this.allotments = new Allotments(reserveMs, clock.now());
    const intervalMs = () => (this.allotments.hasWorking ? WORKING_RENEWAL_MS : RENEWAL_MS);
    const work = () => this.#run();
    this.#repetition = every(clock, intervalMs, work, () => this.reportUnavailable());
  }

  get isAvailable(): boolean {
    return this.#availableSince !== undefined;
  }

  /** Renews now, or joins the renewal under way. */
  renewNow(): void {
    this.#repetition.runNow().catch(() => this.reportUnavailable());
  }

  reportUnavailable(): void {
    if (!this.isAvailable) return;
    this.#availableSince = undefined;
    this.#log('warn', 'budget store unavailable: attempts are paid from allotments');
    this.#onUnavailable();
  }

  /** Gives back all allotments without unstored attempts; the journal keeps the rest for the next start. */
  async close(): Promise<void> {
    await this.#repetition.close();
    this.allotments.close();
    if (!this.isAvailable) return;
    const closing = this.#parts.flush().then(() => this.#renew());
    await closing.catch(() => {});
  }

  async #run(): Promise<void> {
    const { clock, store, onCrossed } = this.#parts;
    if (await this.#renew()) await this.#renew();
    if (!this.isAvailable) this.#log('info', 'budget store available again');
    this.#availableSince ??= clock.monotonic();
    const isSettled = clock.monotonic() - this.#availableSince > STANDBY_GRACE_MS;
    const now = clock.now();
    onCrossed(await store.settleExpired(now, isSettled ? now : 0, MAX_SETTLED));
  }

  /** True if it found a shortage of other servers; the next renewal then gives money back. */
  async #renew(): Promise<boolean> {
    const { store, journal, clock } = this.#parts;
    const now = clock.now();
    const { requests, created, ended } = this.allotments.renew(now);
    for (const id of ended) journal.append({ kind: 'release', id }, () => {});
    // Written to the journal first: a server that restarts after a crash finds its allotments there and gives them
    // back.
    const write = (id: string) =>
      new Promise<void>((resolve) => journal.append({ kind: 'allotment', id }, resolve));
    await Promise.all(created.map(write));
    this.#version += 1;
    const grants = await store.renewAllotments(this.#owner, requests, this.#version, now);
    return this.allotments.granted(requests, grants, now);
  }

  #log(level: 'info' | 'warn', message: string): void {
    this.#parts.log.write({ level, type: 'capacity', message });
  }
}
