// Lets organisations past an open circuit that requests of others keep open. One probe decides for all, so an organisation
// whose request is invalid, makes the provider fail, or never gets an answer could win every probe. On each server, for the
// circuits of accounts and of models:
//
//   probing ─▶ yielding   its probe ended without a success: for 15 s it takes no other one while an organisation that was
//                         refused in the last minute may come for it
//
//   refused ─▶ on trial   a probe of another organisation failed, or calls have been refused beside probes for 15 s; one
//                         organisation at a time, and the next one 5 s later. A failure of its own in the last five
//                         minutes excludes an organisation. The probes may be those of other servers
//   on trial ─▶ spared    its call succeeded: its further calls pass until one fails or the circuit closes
//           └▶ refused    its call failed
//
// Calls on trial are no probes: they are counted, but the probe alone moves the circuit. An open circuit without a failed
// probe refuses all organisations for its open time.

import type { Clock } from '../kernel/clock.ts';
import type { BreakerBoard, BreakerPass, CallHealth } from './breaker-board.ts';
import { type CircuitKey, circuitId } from './circuit-key.ts';

const PROBE_PATIENCE_MS = 15_000;
const TRIAL_INTERVAL_MS = 5_000;
const MEMORY_MS = 300_000;
/** After its probe without a success an organisation leaves the next ones to others for this long. */
export const YIELD_MS = 15_000;
/** An organisation that was refused within this time may come for the probe. */
export const REFUSED_MS = 60_000;
const PROBE_WAIT_MS = 1000;
const MAX_ORGANIZATIONS = 1000;
const MAX_CIRCUITS = 1000;

export function spareOrganizations(
  board: BreakerBoard,
  clock: Pick<Clock, 'monotonic'>,
): BreakerBoard {
  const openings = new Map<string, Opening>();

  function openingOf(key: CircuitKey): Opening {
    const id = circuitId(key);
    const known = openings.get(id);
    if (known) return known;
    if (openings.size >= MAX_CIRCUITS) openings.clear();
    const made = new Opening();
    openings.set(id, made);
    return made;
  }

  /** A probe is due or under way, and it is not this organisation's turn. */
  function mustYield(key: CircuitKey, organization: string): boolean {
    const opening = openings.get(circuitId(key));
    if (!opening || board.isClosed(key) || board.openForMs(key) > 0) return false;
    return opening.mustYield(organization, clock.monotonic());
  }

  return {
    hasOpen: () => board.hasOpen(),
    isClosed: (key) => board.isClosed(key),
    openCause: (key) => board.openCause(key),
    openForMs: (key) => board.openForMs(key),
    requestPass(key, onAnswer, organization) {
      if (organization === undefined || !isShared(key))
        return board.requestPass(key, onAnswer, organization);
      if (mustYield(key, organization)) {
        const cause = board.openCause(key) ?? 'failures';
        return onAnswer({ isAllowed: false, retryAfterMs: PROBE_WAIT_MS, cause });
      }
      board.requestPass(key, (answer) => {
        const now = clock.monotonic();
        if (!answer.isAllowed) {
          const opening = openingOf(key);
          opening.refused(answer, now);
          const pass = opening.trial(key, organization, answer.cause, now);
          return onAnswer(pass ? { isAllowed: true, pass } : answer);
        }
        if (answer.pass.probe === undefined) openings.delete(circuitId(key));
        else openingOf(key).beginProbe(answer.pass, organization, now);
        onAnswer(answer);
      });
    },
    report(pass, health, organization) {
      board.report(pass, health, organization);
      if (openings.size === 0 || !isShared(pass.key)) return;
      const opening = openings.get(circuitId(pass.key));
      if (!opening) return;
      opening.end(pass, health, organization, clock.monotonic());
      if (board.isClosed(pass.key)) openings.delete(circuitId(pass.key));
    },
    limitUntil: (key, resetAt) => board.limitUntil(key, resetAt),
    clearLimit: (key) => board.clearLimit(key),
    list: () => board.list(),
    reset(key) {
      openings.delete(circuitId(key));
      return board.reset(key);
    },
    close: () => board.close(),
  };
}

function isShared({ organization }: CircuitKey): boolean {
  return organization === undefined;
}

type Call = {
  readonly pass: BreakerPass;
  readonly organization: string;
  readonly startedAt: number;
};

/** What this server knows of the probes of a circuit since it opened. */
class Opening {
  #probe: Call | undefined;
  #trial: Call | undefined;
  #nextTrialAt = Number.NEGATIVE_INFINITY;
  #hasFailedProbe = false;
  /** The end of the open time, as the last refused call saw it. */
  #openUntil: number | undefined;
  /** When the first call was refused beside probes since then. */
  #probedSince: number | undefined;
  readonly #failedAt = new Map<string, number>();
  /** When the last probe of an organisation ended without a success. */
  readonly #yieldsAt = new Map<string, number>();
  readonly #refusedAt = new Map<string, number>();
  readonly #spared = new Set<string>();

  beginProbe(pass: BreakerPass, organization: string, startedAt: number): void {
    this.#probe = { pass, organization, startedAt };
  }

  mustYield(organization: string, now: number): boolean {
    if (!this.#isYielding(organization, now)) return false;
    for (const [other, at] of this.#refusedAt)
      if (other !== organization && at > now - REFUSED_MS && !this.#isYielding(other, now))
        return true;
    return false;
  }

  /** Probes of other servers show in the refusals: while one runs the wait is short, and one that failed moved the end. */
  refused(
    { retryAfterMs, cause }: { retryAfterMs: number; cause: 'failures' | 'limit' },
    now: number,
  ): void {
    if (retryAfterMs <= PROBE_WAIT_MS) {
      this.#probedSince ??= now;
      return;
    }
    const until = now + retryAfterMs;
    const isLater = this.#openUntil !== undefined && until > this.#openUntil + PROBE_WAIT_MS;
    if (isLater && cause === 'failures') this.#hasFailedProbe = true;
    this.#openUntil = until;
    this.#probedSince = undefined;
  }

  /** The pass of a call that the circuit refuses; undefined if it stays refused. */
  trial(
    key: CircuitKey,
    organization: string,
    cause: 'failures' | 'limit',
    now: number,
  ): BreakerPass | undefined {
    note(this.#refusedAt, organization, now);
    const probedSince = Math.min(this.#probe?.startedAt ?? now, this.#probedSince ?? now);
    const isSlow = now - probedSince >= PROBE_PATIENCE_MS;
    const isReopened = this.#hasFailedProbe && cause === 'failures';
    if ((!isSlow && !isReopened) || this.#isExcluded(organization, now)) return undefined;
    const pass: BreakerPass = { key, probe: undefined };
    if (this.#spared.has(organization)) return pass;
    const isBusy = this.#trial !== undefined && now - this.#trial.startedAt < PROBE_PATIENCE_MS;
    if (isBusy || now < this.#nextTrialAt) return undefined;
    this.#trial = { pass, organization, startedAt: now };
    return pass;
  }

  end(pass: BreakerPass, health: CallHealth, organization: string | undefined, now: number): void {
    const isTrial = this.#trial?.pass === pass;
    if (isTrial) this.#trial = undefined;
    if (this.#probe?.pass === pass) {
      if (health === 'success') this.#yieldsAt.delete(this.#probe.organization);
      else note(this.#yieldsAt, this.#probe.organization, now);
      this.#probe = undefined;
      this.#hasFailedProbe ||= health === 'failure';
    }
    if (organization === undefined) return;
    if (health === 'failure' || health === 'doubtful') this.#exclude(organization, now);
    else if (isTrial && health === 'success') this.#spare(organization);
    if (isTrial && health !== 'success') this.#nextTrialAt = now + TRIAL_INTERVAL_MS;
  }

  #isYielding(organization: string, now: number): boolean {
    return (this.#yieldsAt.get(organization) ?? Number.NEGATIVE_INFINITY) > now - YIELD_MS;
  }

  #isExcluded(organization: string, now: number): boolean {
    if (this.#probe?.organization === organization) return true;
    return (this.#failedAt.get(organization) ?? Number.NEGATIVE_INFINITY) > now - MEMORY_MS;
  }

  #exclude(organization: string, now: number): void {
    this.#spared.delete(organization);
    note(this.#failedAt, organization, now);
  }

  #spare(organization: string): void {
    if (this.#spared.size < MAX_ORGANIZATIONS) this.#spared.add(organization);
  }
}

function note(times: Map<string, number>, organization: string, now: number): void {
  if (times.size >= MAX_ORGANIZATIONS) times.clear();
  times.set(organization, now);
}
