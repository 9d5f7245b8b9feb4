// Principals that differ from the caller's in some fields. A caller has one derived object, because flow/call/call-terms
// caches the limits of a caller by the identity of its principal.

import type { Principal } from '../../admission/principal.ts';

export function createDerivedPrincipal(
  change: Partial<Principal>,
): (principal: Principal) => Principal {
  const derived = new WeakMap<Principal, Principal>();
  return (principal) => {
    const known = derived.get(principal);
    if (known) return known;
    const made = Object.freeze({ ...principal, ...change });
    derived.set(principal, made);
    return made;
  };
}
