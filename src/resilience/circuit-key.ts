// The scope of a circuit and of a provider limit: a provider in a region, narrowed by each further field that is set.
//
// The label is the scope below the provider as one text. Redis keys, metrics, log entries and the admin API carry it where
// they say `region`: `us-east`, `us-east/second`, `us-east:some-model`, `us-east/second:some-model`, `us-east@some-org`. It
// can be parsed back because the configuration allows none of `/`, `@` and `:` in the name of a region or an account.

/** The scope of a circuit: a provider in a region, narrowed by each further field that is set. */
export type CircuitKey = {
  readonly provider: string;
  readonly region: string;
  /** Absent or `default`: the provider's default account. */
  readonly account?: string | undefined;
  /** Absent: all models. */
  readonly model?: string | undefined;
  /** Absent: all organisations. Limits never name one. */
  readonly organization?: string | undefined;
};

export const DEFAULT_ACCOUNT = 'default';

/** The scope of all models of an account: of the whole region, for the default account. */
export function accountCircuit({ provider, region, account }: CircuitKey): CircuitKey {
  return isDefault(account) ? { provider, region } : { provider, region, account };
}

/** The circuit of one organisation at an account. */
export function organizationCircuit(key: CircuitKey, organization: string): CircuitKey {
  return { ...accountCircuit(key), organization };
}

/** The label without the model: a region, or an account in a region. */
export function regionLabel({ region, account }: Omit<CircuitKey, 'provider'>): string {
  return isDefault(account) ? region : `${region}/${account}`;
}

export function circuitLabel(key: Omit<CircuitKey, 'provider'>): string {
  const region = regionLabel(key);
  const { organization, model } = key;
  const owner = organization === undefined ? '' : `@${encodeURIComponent(organization)}`;
  return model === undefined ? region + owner : `${region}${owner}:${model}`;
}

/** One text for one scope: the key of maps, and the end of a Redis key. */
export function circuitId(key: CircuitKey): string {
  return `${key.provider}:${circuitLabel(key)}`;
}

export function isSameCircuit(one: CircuitKey, other: CircuitKey): boolean {
  return one.provider === other.provider && circuitLabel(one) === circuitLabel(other);
}

/** The inverse of `regionLabel`: the account follows the first slash. */
export function parseRegionLabel(provider: string, label: string): CircuitKey {
  const [, region = label, account] = /^([^/]*)\/(.+)$/s.exec(label) ?? [];
  return accountCircuit({ provider, region, account });
}

/** The inverse of `circuitLabel`: the model follows the first colon. */
export function parseCircuitLabel(provider: string, label: string): CircuitKey {
  const [, scope = label, model] = /^([^:]*):(.+)$/s.exec(label) ?? [];
  const [, region = scope, owner] = /^([^@]*)@(.+)$/s.exec(scope) ?? [];
  const key = withModel(parseRegionLabel(provider, region), model);
  return owner === undefined ? key : { ...key, organization: decoded(owner) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function withModel(key: CircuitKey, model: string | undefined): CircuitKey {
  return model === undefined ? key : { ...key, model };
}

function isDefault(account: string | undefined): account is undefined | typeof DEFAULT_ACCOUNT {
  return account === undefined || account === DEFAULT_ACCOUNT;
}
