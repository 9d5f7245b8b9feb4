// How the measured gateway is configured. Everything is on; limits and budgets are counted as always and only
// set so high that they never refuse, because a refusal is cheaper than a call and would flatter the figures.

/** Not a secret: it opens a gateway on loopback that lives for the length of a benchmark. */
export const BENCH_KEY = 'bench-caller-key-not-secret-0123456789';

export type GatewayPlace = {
  readonly port: number;
  readonly folder: string;
  readonly upstreamPort: number;
};

export function gatewayEnvironment(place: GatewayPlace): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: String(place.port),
    SPILLWAY_DATA_DIR: place.folder,
    SPILLWAY_API_KEY: BENCH_KEY,
    ANTHROPIC_API_KEY: 'bench-key-not-secret',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${place.upstreamPort}`,
    ...RAISED_LIMITS,
  };
}

const RAISED_LIMITS: Readonly<Record<string, string>> = {
  ANTHROPIC_RATE_LIMIT: '1000000000',
};
