// Writes the provider of deployments that share an address and keys.

import { builtIn } from '../providers/built-in-providers.ts';
import { providerVariables } from '../schema/variables.ts';
import { type Credential, variableOf } from './credentials.ts';
import { type Deployment, isNative } from './deployment.ts';
import type { AccountDraft, LimitsDraft, ProviderDraft } from './draft.ts';

export function draftProvider(deployments: readonly Deployment[], name: string): ProviderDraft {
  const [first] = deployments;
  if (!first) throw new Error('a provider has at least one deployment');
  const { endpoint, baseUrl } = first;
  const base = (baseUrl ?? endpoint.baseUrl ?? '').replace(/\/+$/, '');
  const isBuiltIn = builtIn(name) !== undefined;
  const address = isNative(first) ? base : joinPath(base, endpoint.openaiPath);
  const format = isNative(first) && !isBuiltIn ? endpoint.nativeFormat : undefined;
  return provider(
    name,
    {
      ...(format !== undefined && { format }),
      ...(!(isBuiltIn && baseUrl === undefined) && { baseUrl: address }),
    },
    accountsOf(deployments),
  );
}

function joinPath(base: string, path = ''): string {
  return base.endsWith(path) ? base : `${base}${path}`;
}

type Account = {
  readonly name: string;
  readonly credential: Credential;
  readonly limits: LimitsDraft;
};

/** One account per key, with the smallest of its limits; accounts with fewer limits come first. */
function accountsOf(deployments: readonly Deployment[]): readonly Account[] {
  const byKey = Map.groupBy(deployments, ({ credential }) => variableOf(credential));
  const accounts = [...byKey.values()].flatMap(([first, ...others]) =>
    first
      ? [
          {
            name: accountName(first),
            credential: first.credential,
            limits: others.reduce((limits, each) => smaller(limits, each.limits), first.limits),
          },
        ]
      : [],
  );
  return accounts.sort((one, other) => limitCount(one) - limitCount(other));
}

function accountName({ accountName: stated, credential }: Deployment): string {
  const name = (stated ?? variableOf(credential).toLowerCase()).replaceAll(/[^\w.-]+/g, '-');
  return name.slice(0, 64);
}

function limitCount({ limits }: Account): number {
  return Object.keys(limits).length;
}

function smaller(one: LimitsDraft, other: LimitsDraft): LimitsDraft {
  const keys = ['requestsPerMinute', 'tokensPerMinute', 'tokensPerDay'] as const;
  const limits = keys.flatMap((key) => {
    const values = [one[key], other[key]].filter((each) => each !== undefined);
    return values.length === 0 ? [] : [[key, Math.min(...values)] as const];
  });
  return Object.fromEntries(limits);
}

/** The first account is the provider's own key, unless the others would inherit limits from it. */
function provider(
  name: string,
  address: Pick<ProviderDraft, 'format' | 'baseUrl'>,
  accounts: readonly Account[],
): ProviderDraft {
  const [first, ...others] = accounts;
  const inherits = others.some(({ limits }) =>
    Object.keys(first?.limits ?? {}).some((key) => !(key in limits)),
  );
  if (!first || inherits) return { name, ...address, accounts: accounts.map(toAccount) };
  return { name, ...address, ...ownKey(name, first), accounts: others.map(toAccount) };
}

function ownKey(name: string, { credential, limits }: Account): Partial<ProviderDraft> {
  const variable = variableOf(credential);
  if (credential === 'none') return { apiKey: 'none', ...limits };
  const isUsual = variable === providerVariables(name)[0];
  return { ...(!isUsual && { apiKeyVariable: variable }), ...limits };
}

function toAccount({ name, credential, limits }: Account): AccountDraft {
  return { name, variable: variableOf(credential), ...limits };
}
