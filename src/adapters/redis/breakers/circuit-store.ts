// The circuits in Redis: keys, scripts, and the messages on the channel. Stateless; every method rejects while Redis is
// unavailable.

import { z } from 'zod';
import type { CallHealth } from '../../../resilience/breaker-board.ts';
import type { CallTotals } from '../../../resilience/call-window.ts';
import { type BreakerRules, type Circuit, causeOf } from '../../../resilience/circuit-breaker.ts';
import { accountCircuit, type CircuitKey, circuitId } from '../../../resilience/circuit-key.ts';
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
  RESTORE_CIRCUIT,
} from './circuit-scripts.ts';

/** A circuit as Redis has it, with timestamps on the monotonic clock of this process. */
export type CircuitSnapshot = {
  readonly key: CircuitKey;
  readonly version: string;
  readonly circuit: Circuit;
  readonly totals: CallTotals;
  /** Organisations that called in the window, at any server. */
  readonly callers: number;
  /** Whether this step changed the state. */
  readonly isTransition: boolean;
  /** The server that made the step. */
  readonly by: string;
};

/** Calls to be added, and some of the organisations that made them. */
export type CountedCalls = CallTotals & {
  readonly calling?: readonly string[];
  readonly failing?: readonly string[];
  readonly succeeding?: readonly string[];
};

/** The claim of a probe for a call of the organisation. */
export type Claim = {
  readonly probe: string;
  readonly leaseMs: number;
  readonly organization: string | undefined;
  /** Some organisations that were refused since the last claim. */
  readonly refused: readonly string[];
};

export type KnownCircuit = {
  readonly circuit: Circuit;
  readonly version: string;
  /** Whether this server decided so by its own counts, or only remembers what Redis said. */
  readonly isDecidedHere: boolean;
};

export type CircuitStoreParts = {
  readonly link: RedisLink;
  readonly rules: BreakerRules;
  readonly keyPrefix: string;
  /** Names this server in the steps it makes. */
  readonly me: string;
  readonly now: () => number;
};

/** For the one step that a request waits for. */
const REQUEST_TIMEOUT_MS = 100;
const BACKGROUND_TIMEOUT_MS = 1000;

const circuitKey = z.object({
  provider: z.string(),
  region: z.string(),
  account: z.string().optional(),
  model: z.string().optional(),
  organization: z.string().optional(),
});
const snapshot = z.object({
  circuit: z.string(),
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
  // Missing in messages of servers with an earlier version.
  callers: z.number().catch(0),
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

  read(key: CircuitKey): Promise<CircuitSnapshot> {
    return this.count(key, { calls: 0, failures: 0 });
  }

  count(key: CircuitKey, counted: CountedCalls): Promise<CircuitSnapshot> {
    const { failures: minFailures, ratio } = this.#parts.rules;
    const { calls, failures, calling = [], failing = [], succeeding = [] } = counted;
    const callers = [calling, failing, succeeding].map((names) => JSON.stringify(names));
    return this.#run(COUNT_CALLS, key, [calls, failures, minFailures, ratio, ...callers]);
  }

  claim(
    key: CircuitKey,
    { probe, leaseMs, organization, refused }: Claim,
  ): Promise<CircuitSnapshot> {
    const own = [probe, leaseMs, organization ?? '', JSON.stringify(refused)];
    return this.#run(CLAIM_PROBE, key, own, REQUEST_TIMEOUT_MS);
  }

  renew(key: CircuitKey, probe: string, leaseMs: number): Promise<CircuitSnapshot> {
    return this.#run(RENEW_PROBE, key, [probe, leaseMs]);
  }

  /** `unused`: no call was made. */
  end(key: CircuitKey, probe: string, health: CallHealth | 'unused'): Promise<CircuitSnapshot> {
    const { successesToClose, failures: minFailures, ratio } = this.#parts.rules;
    return this.#run(END_PROBE, key, [probe, health, successesToClose, minFailures, ratio]);
  }

  limit(key: CircuitKey, waitMs: number): Promise<CircuitSnapshot> {
    return this.#run(LIMIT_CIRCUIT, key, [Math.ceil(waitMs)]);
  }

  clearLimit(key: CircuitKey): Promise<CircuitSnapshot> {
    return this.#run(CLEAR_LIMIT, key, []);
  }

  reset(key: CircuitKey): Promise<CircuitSnapshot> {
    return this.#run(RESET_CIRCUIT, key, []);
  }

  /** Offers this server's own state after Redis was unavailable or lost its data. */
  restore(key: CircuitKey, known: KnownCircuit): Promise<CircuitSnapshot> {
    const { circuit, version, isDecidedHere } = known;
    const leftMs = circuit.state === 'open' ? circuit.probeAt - this.#parts.now() : 0;
    const probeInMs = Math.max(0, Math.round(leftMs));
    const cause = causeOf(circuit) ?? '';
    const own = [circuit.state, probeInMs, version, isDecidedHere ? '1' : '0', cause];
    return this.#run(RESTORE_CIRCUIT, key, own);
  }

  /** The keys of all circuits in the index, also of circuits that have expired since. */
  async keys(): Promise<readonly CircuitKey[]> {
    const members = await this.#parts.link.runInBackground((redis) =>
      redis.smembers(this.#indexKey),
    );
    return members.map((member) => decodeKey(member));
  }

  /** Undefined for a message in another format. */
  parseMessage(message: string): CircuitSnapshot | undefined {
    try {
      return this.#decode(message);
    } catch {
      return undefined;
    }
  }

  async #run(
    script: RedisScript,
    key: CircuitKey,
    own: readonly (string | number)[],
    timeoutMs = BACKGROUND_TIMEOUT_MS,
  ): Promise<CircuitSnapshot> {
    const { link, rules, me } = this.#parts;
    const keys = [this.#circuitKey(key), this.#indexKey];
    if (key.organization !== undefined) keys.push(this.#circuitKey(accountCircuit(key)));
    const args = [this.channel, encodeKey(key), me, rules.windowMs, rules.openMs, ...own];
    return this.#decode(await link.run((redis) => runScript(redis, script, keys, args), timeoutMs));
  }

  #circuitKey(key: CircuitKey): string {
    return `${this.#parts.keyPrefix}breaker:${circuitId(key)}`;
  }

  #decode(text: unknown): CircuitSnapshot {
    const fields = snapshot.parse(JSON.parse(String(text)));
    return {
      key: decodeKey(fields.circuit),
      version: fields.version,
      circuit: toCircuit(fields, this.#parts.now()),
      totals: { calls: fields.calls, failures: fields.failures },
      callers: fields.callers,
      isTransition: fields.movedFrom !== '' && fields.movedFrom !== fields.state,
      by: fields.by,
    };
  }
}

/** The same text for the same key: it is a member of the index. */
function encodeKey({ provider, region, account, model, organization }: CircuitKey): string {
  return JSON.stringify({ provider, region, account, model, organization });
}

function decodeKey(text: string): CircuitKey {
  return circuitKey.parse(JSON.parse(text));
}

function toCircuit(fields: z.infer<typeof snapshot>, now: number): Circuit {
  const openedAt = now - fields.openedAgoMs;
  if (fields.state === 'closed') return { state: 'closed' };
  const { cause } = fields;
  if (fields.state === 'open')
    return { state: 'open', cause, openedAt, probeAt: now + fields.probeInMs };
  const { successes, probe: id, leaseMs } = fields;
  const probe = id === '' ? undefined : { id, until: now + leaseMs };
  return { state: 'half_open', cause, openedAt, successes, probe };
}
