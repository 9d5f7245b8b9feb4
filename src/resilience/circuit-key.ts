// The scope of a circuit and of a provider limit: a provider in a region, narrowed by each further field that is set. A
// narrower scope (an organisation's own circuit) is one more optional field here and one more part of the label.
//
// The label is the scope below the provider as one text. Redis keys, metrics, log entries and the admin API carry it where
// they say `region`: `us-east`, `us-east/second`, `us-east:some-model`, `us-east/second:some-model`. It can be parsed back
// because the configuration allows neither `/` nor `:` in the name of a region or an account.

export type CircuitKey = {
  readonly provider: string;
  readonly region: string;
  /** Absent or `default`: the provider's default account. */
  readonly account?: string | undefined;
  /** Absent: all models. */
  readonly model?: string | undefined;
};

export const DEFAULT_ACCOUNT = 'default';

/** The scope of all models of an account: of the whole region, for the default account. */
export function accountCircuit({ provider, region, account }: CircuitKey): CircuitKey {
  return isDefault(account) ? { provider, region } : { provider, region, account };
}

/** The label without the model: a region, or an account in a region. */
export function regionLabel({ region, account }: Omit<CircuitKey, 'provider'>): string {
  return isDefault(account) ? region : `${region}/${account}`;
}

export function circuitLabel(key: Omit<CircuitKey, 'provider'>): string {
  const region = regionLabel(key);
  return key.model === undefined ? region : `${region}:${key.model}`;
}

/** One text for one scope: the key of maps, and the end of a Redis key. */
export function circuitId(key: CircuitKey): string {
  return `${key.provider}:${circuitLabel(key)}`;
}

export function isSameCircuit(one: CircuitKey, other: CircuitKey): boolean {
  return one.provider === other.provider && circuitLabel(one) === circuitLabel(other);
}

/** The inverse of `regionLabel`: the account is behind the first slash. */
export function parseRegionLabel(provider: string, label: string): CircuitKey {
  const [, region = label, account] = /^([^/]*)\/(.+)$/s.exec(label) ?? [];
  return accountCircuit({ provider, region, account });
}

/** The inverse of `circuitLabel`: the model is behind the first colon. */
export function parseCircuitLabel(provider: string, label: string): CircuitKey {
  const [, region = label, model] = /^([^:]*):(.+)$/s.exec(label) ?? [];
  return withModel(parseRegionLabel(provider, region), model);
}

export function withModel(key: CircuitKey, model: string | undefined): CircuitKey {
  return model === undefined ? key : { ...key, model };
}

function isDefault(account: string | undefined): account is undefined | typeof DEFAULT_ACCOUNT {
  return account === undefined || account === DEFAULT_ACCOUNT;
}
