// The Capacity page reads three endpoints: GET /health/capacity, GET /admin/limits and GET /admin/breakers. Actions:
// PUT /admin/limits/{provider}/{region} { resetAt, model? }, DELETE /admin/limits/{provider}/{region}?model=,
// POST /admin/breakers/{provider}/{region}/reset. `{region}` is the `region` of the row, percent-encoded.

export type BreakerState = 'closed' | 'open' | 'half_open';

/** GET /health/capacity */
export type Capacity = { readonly data: readonly RegionCapacity[]; readonly readAt: number };

export type RegionCapacity = {
  readonly provider: string;
  readonly region: string;
  /** Number of configured accounts. */
  readonly accounts: number;
  /** Active only if every account is limited. */
  readonly limit: { readonly isActive: boolean; readonly resetAt: number | null };
  readonly limits: readonly {
    readonly account: string;
    /** null: all models. */
    readonly model: string | null;
    readonly resetAt: number;
    readonly kind: string;
  }[];
  readonly breaker: BreakerState;
  /** The scarcest reading of response headers; null without one. */
  readonly headroom: {
    readonly account: string;
    readonly model: string | null;
    /** 0 to 1. */
    readonly remainingRatio: number;
    readonly readAt: number;
  } | null;
  /** When the headroom is used up at the present rate; null if its reset comes first. */
  readonly exhaustedAt: number | null;
};

/** GET /admin/limits → PageOf<ProviderLimit> */
export type ProviderLimit = {
  readonly provider: string;
  readonly region: string;
  /** null: the whole provider in that region. */
  readonly model: string | null;
  readonly resetAt: number;
  /** A server's id, or `admin`. */
  readonly setBy: string;
  readonly setAt: number;
  readonly kind: 'learnt' | 'credit' | 'reported' | 'manual' | 'throttled';
  /** The request that met the limit: GET /admin/requests/{id}. */
  readonly requestId: string | null;
};

/** GET /admin/breakers → PageOf<Breaker>; every configured circuit, including circuits without calls. */
export type Breaker = {
  readonly provider: string;
  /** The circuit's label; also names account, organisation and model of a narrower circuit. */
  readonly region: string;
  /** Set for the circuit of one organisation, opened only by its own failures; null: all. */
  readonly organization: string | null;
  readonly state: BreakerState;
  /** Why it is not closed. */
  readonly cause: 'failures' | 'limit' | null;
  readonly failuresInWindow: number;
  readonly callsInWindow: number;
  readonly successesInHalfOpen: number;
  readonly openedAt: number | null;
  /** In the past: the next call is the probe; null: closed, or a probe is in flight. */
  readonly nextProbeAt: number | null;
};
