// Configuration of the measured gateway. Every feature is on; limits and budgets count as always and are set too high
// to refuse, because a refusal is cheaper than a call and would flatter the figures.

/** No secrets: they open a gateway on loopback that lives for the length of a benchmark. */
export const BENCH_KEY = 'bench-caller-key-not-secret-0123456789';
export const BENCH_ADMIN_KEY = 'bench-admin-key-not-secret-0123456789';

export type GatewayAddress = {
  readonly port: number;
  readonly folder: string;
  readonly upstreamPort: number;
};

export function gatewayEnvironment(address: GatewayAddress): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: String(address.port),
    SPILLWAY_DATA_DIR: address.folder,
    SPILLWAY_API_KEY: BENCH_KEY,
    SPILLWAY_ADMIN_KEY: BENCH_ADMIN_KEY,
    ANTHROPIC_API_KEY: 'bench-key-not-secret',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${address.upstreamPort}`,
    ANTHROPIC_RATE_LIMIT: String(UNREACHABLE_LIMIT),
  };
}

/** Raises the limits and the budget of the organisation of the bench's key. */
export async function raiseLimits(port: number, signal: AbortSignal): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/orgs/default`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${BENCH_ADMIN_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      requestsPerMinute: UNREACHABLE_LIMIT,
      monthlyBudgetUsd: UNREACHABLE_LIMIT,
    }),
    signal,
  });
  const text = await answer.text();
  if (answer.ok) return;
  throw new Error(`The limits could not be raised (${answer.status}): ${text.slice(0, 400)}`);
}

/**
 * The largest limit of requests per minute that the API accepts; the slices of a row fill about a third of a minute.
 */
const UNREACHABLE_LIMIT = 1_000_000;
