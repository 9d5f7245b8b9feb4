// The principal of the operator's own key: organisation `default`, every scope, not in the store.

import { KEY_SCOPES } from '../admission/key-scope.ts';
import type { Organization } from '../admission/organization.ts';
import { type Principal, toPrincipal } from '../admission/principal.ts';

const OPERATOR_KEY_ID = 'operator';

export function operatorPrincipal(organization: Organization): Principal {
  const principal = toPrincipal({
    organization,
    key: {
      id: OPERATOR_KEY_ID,
      organizationId: organization.id,
      name: 'operator',
      hash: '',
      prefix: '',
      scopes: KEY_SCOPES,
      diagnostics: false,
      createdAt: organization.createdAt,
    },
  });
  if (!principal) throw new Error('a key that is not revoked has a principal');
  return principal;
}
