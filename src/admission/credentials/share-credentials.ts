// Exchanges refused credentials with the other servers. News about a key that this server does not have for the account is
// ignored.

import type { CredentialExchange } from './credential-exchange.ts';
import { RefusedCredentials, type RefusedCredentialsOptions } from './refused-credentials.ts';

export type ShareCredentialsParts = Omit<RefusedCredentialsOptions, 'onChange'> & {
  readonly exchange: CredentialExchange;
  /** The hash of the key that this server has for an account. */
  readonly fingerprintOf: (provider: string, account: string) => string | undefined;
};

export async function shareCredentials(parts: ShareCredentialsParts): Promise<RefusedCredentials> {
  const { exchange, fingerprintOf } = parts;
  const credentials = new RefusedCredentials({
    ...parts,
    onChange(change) {
      const fingerprint = fingerprintOf(change.provider, change.account);
      if (fingerprint !== undefined) exchange.publish({ ...change, fingerprint });
    },
  });
  await exchange.subscribe(({ fingerprint, ...change }) => {
    if (fingerprintOf(change.provider, change.account) === fingerprint) credentials.learn(change);
  });
  return credentials;
}
