// The truth log: a bounded ring of requests and their outcomes in order of arrival. Totals and peaks are kept
// outside the ring, so they stay exact after old entries are dropped. An entry is in the log from the first
// byte of its request; it changes only through `change`, which wakes the waiters.

import type { Clock } from '../../kernel/clock.ts';
import { PeakWindow } from '../scenario/peak-window.ts';
import type { OpenEntry, TruthEntry } from './truth-entry.ts';

export type TruthTotals = {
  readonly requests: number;
  readonly inFlight: number;
  readonly maxInFlight: number;
  /** Entries dropped from the ring. */
  readonly dropped: number;
  readonly byProvider: Readonly<Record<string, ProviderTotals>>;
};

export type ProviderTotals = {
  readonly requests: number;
  /** The peak number of requests within any 60 s. */
  readonly maxRequestsPerMinute: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byOutcome: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

type Waiter = {
  readonly predicate: (entry: TruthEntry) => boolean;
  readonly resolve: (entry: TruthEntry) => void;
  readonly reject: (reason: unknown) => void;
};

type Account = {
  requests: number;
  readonly peak: PeakWindow;
  readonly byStatus: Map<string, number>;
  readonly byOutcome: Map<string, number>;
  inputTokens: number;
  outputTokens: number;
};

/** A caller can put any name in front of a path, so the number of distinct providers is bounded. */
const MAX_PROVIDERS = 100;
const MAX_SHARED = 1_000;

export class TruthLog {
  readonly #clock: Clock;
  readonly #capacity: number;
  #ring: OpenEntry[] = [];
  #oldest = 0;
  #sequence = 0;
  /** Requests up to this sequence number arrived before the log was cleared and are not counted. */
  #clearedUpTo = 0;
  #dropped = 0;
  #inFlight = 0;
  #maxInFlight = 0;
  readonly #accounts = new Map<string, Account>();
  #isClosed = false;
  readonly #texts = new Map<string, string>();
  readonly #names = new Map<string, readonly string[]>();
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  open(facts: Omit<OpenEntry, 'sequence' | 'startedAt'>): OpenEntry {
    this.#sequence += 1;
    const entry = { sequence: this.#sequence, startedAt: this.#clock.now(), ...facts };
    this.#keep(entry);
    this.#inFlight += 1;
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
    const account = this.#account(entry.provider);
    account.requests += 1;
    account.peak.add(entry.startedAt);
    this.#wake(entry);
    return entry;
  }

  change(entry: OpenEntry, change: Partial<OpenEntry>): void {
    Object.assign(entry, change);
    this.#wake(entry);
  }

  /** Records one more content event. */
  progress(entry: OpenEntry, outputTokens: number): void {
    entry.chunksSent += 1;
    entry.outputTokens = outputTokens;
    this.#wake(entry);
  }

  finish(entry: OpenEntry, change: Partial<OpenEntry>): void {
    if (entry.finishedAt !== null) return;
    Object.assign(entry, change, { finishedAt: this.#clock.now() });
    this.#inFlight -= 1;
    if (entry.sequence > this.#clearedUpTo) settle(this.#account(entry.provider), entry);
    Object.freeze(entry);
    this.#wake(entry);
  }

  /** Oldest first; open entries show their current state. */
  entries(): readonly TruthEntry[] {
    return [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)].map(view);
  }

  clear(): void {
    this.#ring = [];
    this.#oldest = 0;
    this.#dropped = 0;
    this.#clearedUpTo = this.#sequence;
    this.#maxInFlight = this.#inFlight;
    this.#accounts.clear();
  }

  totals(): TruthTotals {
    const byProvider: Record<string, ProviderTotals> = {};
    let requests = 0;
    for (const [provider, account] of this.#accounts) {
      requests += account.requests;
      byProvider[provider] = {
        requests: account.requests,
        maxRequestsPerMinute: account.peak.most,
        byStatus: Object.fromEntries(account.byStatus),
        byOutcome: Object.fromEntries(account.byOutcome),
        inputTokens: account.inputTokens,
        outputTokens: account.outputTokens,
      };
    }
    const { inFlight, maxInFlight, dropped } = this.#counts();
    return { requests, inFlight, maxInFlight, dropped, byProvider };
  }

  /** Resolves with the first past or future entry that satisfies the predicate. */
  waitFor(predicate: (entry: TruthEntry) => boolean, signal?: AbortSignal): Promise<TruthEntry> {
    const known = this.entries().find(predicate);
    if (known) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<TruthEntry>();
    if (signal?.aborted) reject(signal.reason);
    if (this.#isClosed) reject(closedError());
    const waiter: Waiter = { predicate, resolve, reject };
    const onAbort = () => reject(signal?.reason);
    this.#waiters.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise.finally(() => {
      this.#waiters.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    });
  }

  /** Rejects all waiters: no further entry will arrive. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.reject(closedError());
  }

  /** Interns strings: most requests repeat the same values. */
  share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_SHARED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  shareNames(names: readonly string[]): readonly string[] {
    const key = names.join(' ');
    const known = this.#names.get(key);
    if (known) return known;
    if (this.#names.size >= MAX_SHARED) this.#names.clear();
    this.#names.set(key, Object.freeze(names));
    return names;
  }

  #counts() {
    return { inFlight: this.#inFlight, maxInFlight: this.#maxInFlight, dropped: this.#dropped };
  }

  #keep(entry: OpenEntry): void {
    if (this.#ring.length < this.#capacity) {
      this.#ring.push(entry);
      return;
    }
    this.#ring[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
    this.#dropped += 1;
  }

  #account(provider: string): Account {
    const name =
      this.#accounts.has(provider) || this.#accounts.size < MAX_PROVIDERS ? provider : 'other';
    const known = this.#accounts.get(name);
    if (known) return known;
    const made: Account = {
      requests: 0,
      peak: new PeakWindow(60_000),
      byStatus: new Map(),
      byOutcome: new Map(),
      inputTokens: 0,
      outputTokens: 0,
    };
    this.#accounts.set(name, made);
    return made;
  }

  #wake(entry: OpenEntry): void {
    for (const waiter of this.#waiters) {
      if (waiter.predicate(entry)) waiter.resolve(view(entry));
    }
  }
}

function view(entry: OpenEntry): TruthEntry {
  return entry.finishedAt === null ? Object.freeze({ ...entry }) : entry;
}

function settle(account: Account, entry: TruthEntry): void {
  count(account.byStatus, String(entry.status ?? 'none'));
  count(account.byOutcome, entry.outcome);
  account.inputTokens += entry.inputTokens;
  account.outputTokens += entry.outputTokens;
}

function closedError(): Error {
  return new Error('the simulator was closed');
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
