// The circuits in Redis, as questions and answers: it knows the keys and the scripts and keeps nothing. Rejects when
// Redis is away.

import { z } from 'zod';
import type { CallHealth } from '../../../resilience/breaker-board.ts';
import type { CallTotals } from '../../../resilience/call-window.ts';
import { type BreakerRules, type Circuit, causeOf } from '../../../resilience/circuit-breaker.ts';
import type { CircuitPlace } from '../../../resilience/local-circuit.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { type RedisScript, runScript } from '../connection/redis-script.ts';
import {
  CLAIM_PROBE,
  CLEAR_LIMIT,
  COUNT_CALLS,
  END_PROBE,
  LIMIT_CIRCUIT,
  RENEW_PROBE,
  RESET_CIRCUIT,
  TELL_CIRCUIT,
} from './circuit-scripts.ts';

/** A circuit as Redis has it, on the clock of this process. */
export type CircuitSnapshot = {
  readonly place: CircuitPlace;
  readonly version: string;
  readonly circuit: Circuit;
  readonly totals: CallTotals;
  /** Whether it moved by the very step that is answered here. */
  readonly isMoved: boolean;
  /** The server whose step it was. */
  readonly by: string;
};

export type KnownCircuit = {
  readonly circuit: Circuit;
  readonly version: string;
  readonly isDecidedAlone: boolean;
};

export type CircuitStoreParts = {
  readonly link: RedisLink;
  readonly rules: BreakerRules;
  readonly keyPrefix: string;
  /** Names this server in the news it causes. */
  readonly me: string;
  readonly now: () => number;
};

const HASTE_MS = 100;
const PATIENCE_MS = 1000;

const places = z.tuple([z.string(), z.string()]);
const standing = z.object({
  place: z.string(),
  by: z.string(),
  movedFrom: z.string(),
  version: z.string(),
  state: z.enum(['closed', 'open', 'half_open']),
  cause: z.enum(['failures', 'limit']),
  openedAgoMs: z.number(),
  probeInMs: z.number(),
  successes: z.number(),
  probe: z.string(),
  leaseMs: z.number(),
  calls: z.number(),
  failures: z.number(),
});

export class CircuitStore {
  readonly #parts: CircuitStoreParts;
  readonly channel: string;
  readonly #indexKey: string;

  constructor(parts: CircuitStoreParts) {
    this.#parts = parts;
    this.channel = `${parts.keyPrefix}breakers:changed`;
    this.#indexKey = `${parts.keyPrefix}breakers:index`;
  }

  /** Without calls it is only read. */
  count(place: CircuitPlace, { calls, failures }: CallTotals): Promise<CircuitSnapshot> {
    const { failures: mostFailures, ratio } = this.#parts.rules;
    return this.#run(COUNT_CALLS, place, [calls, failures, mostFailures, ratio]);
  }

  /** The one question that a request waits for. */
  claim(place: CircuitPlace, probe: string, leaseMs: number): Promise<CircuitSnapshot> {
    return this.#run(CLAIM_PROBE, place, [probe, leaseMs], HASTE_MS);
  }

  renew(place: CircuitPlace, probe: string, leaseMs: number): Promise<CircuitSnapshot> {
    return this.#run(RENEW_PROBE, place, [probe, leaseMs]);
  }

  end(place: CircuitPlace, probe: string, health: CallHealth): Promise<CircuitSnapshot> {
    const { successesToClose, failures: mostFailures, ratio } = this.#parts.rules;
    return this.#run(END_PROBE, place, [probe, health, successesToClose, mostFailures, ratio]);
  }

  limit(place: CircuitPlace, waitMs: number): Promise<CircuitSnapshot> {
    return this.#run(LIMIT_CIRCUIT, place, [Math.ceil(waitMs)]);
  }

  clearLimit(place: CircuitPlace): Promise<CircuitSnapshot> {
    return this.#run(CLEAR_LIMIT, place, []);
  }

  reset(place: CircuitPlace): Promise<CircuitSnapshot> {
    return this.#run(RESET_CIRCUIT, place, []);
  }

  /** What is known here of this version: by a decision made here alone, or only remembered. */
  tell(place: CircuitPlace, known: KnownCircuit): Promise<CircuitSnapshot> {
    const { circuit, version, isDecidedAlone } = known;
    const leftMs = circuit.state === 'open' ? circuit.probeAt - this.#parts.now() : 0;
    const probeInMs = Math.max(0, Math.round(leftMs));
    const cause = causeOf(circuit) ?? '';
    const own = [circuit.state, probeInMs, version, isDecidedAlone ? '1' : '0', cause];
    return this.#run(TELL_CIRCUIT, place, own);
  }

  /** The circuits that were ever heard of. */
  async places(): Promise<readonly CircuitPlace[]> {
    const members = await this.#parts.link.runPatiently((redis) => redis.smembers(this.#indexKey));
    return members.map((member) => toPlace(member));
  }

  /** Undefined for what is none of ours. */
  parseNews(message: string): CircuitSnapshot | undefined {
    try {
      return this.#decode(message);
    } catch {
      return undefined;
    }
  }

  async #run(
    script: RedisScript,
    { provider, region }: CircuitPlace,
    own: readonly (string | number)[],
    limitMs = PATIENCE_MS,
  ): Promise<CircuitSnapshot> {
    const { link, rules, keyPrefix, me } = this.#parts;
    const place = JSON.stringify([provider, region]);
    const keys = [`${keyPrefix}breaker:${provider}:${region}`, this.#indexKey];
    const args = [this.channel, place, me, rules.windowMs, rules.openMs, ...own];
    return this.#decode(await link.run((redis) => runScript(redis, script, keys, args), limitMs));
  }

  #decode(text: unknown): CircuitSnapshot {
    const told = standing.parse(JSON.parse(String(text)));
    return {
      place: toPlace(told.place),
      version: told.version,
      circuit: toCircuit(told, this.#parts.now()),
      totals: { calls: told.calls, failures: told.failures },
      isMoved: told.movedFrom !== '' && told.movedFrom !== told.state,
      by: told.by,
    };
  }
}

function toPlace(text: string): CircuitPlace {
  const [provider, region] = places.parse(JSON.parse(text));
  return { provider, region };
}

function toCircuit(told: z.infer<typeof standing>, now: number): Circuit {
  const openedAt = now - told.openedAgoMs;
  if (told.state === 'closed') return { state: 'closed' };
  const { cause } = told;
  if (told.state === 'open')
    return { state: 'open', cause, openedAt, probeAt: now + told.probeInMs };
  const { successes, probe: id, leaseMs } = told;
  const probe = id === '' ? undefined : { id, until: now + leaseMs };
  return { state: 'half_open', cause, openedAt, successes, probe };
}
