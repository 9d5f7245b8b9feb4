// The accounts of one provider in the order in which a job asks them for a slot. Every account may have a free slot; only the
// last one gives a due time. Its turn comes by smooth weighted round-robin over the accounts' limits, so that the due times
// of all accounts together return jobs at the sum of their limits, and free slots are taken from all of them alike.

export type AccountTurns<A> = (isUsable?: (account: A) => boolean) => readonly A[];

/** If no account is usable, all of them are asked: their calls wait for the account that is usable first. */
export function createAccountTurns<A extends object>(
  accounts: readonly A[],
  weightOf: (account: A) => number,
): AccountTurns<A> {
  const credits = new Map<A, number>(accounts.map((account) => [account, 0]));

  function takeTurn(among: readonly A[]): A | undefined {
    let chosen: A | undefined;
    let total = 0;
    for (const account of among) {
      total += weightOf(account);
      credits.set(account, creditOf(account) + weightOf(account));
      if (chosen === undefined || creditOf(account) > creditOf(chosen)) chosen = account;
    }
    if (chosen) credits.set(chosen, creditOf(chosen) - total);
    return chosen;
  }

  const creditOf = (account: A) => credits.get(account) ?? 0;

  return (isUsable = () => true) => {
    if (accounts.length <= 1) return accounts;
    const usable = accounts.filter(isUsable);
    const among = usable.length === 0 ? accounts : usable;
    if (among.length === 1) return among;
    const last = takeTurn(among);
    return last ? [...among.filter((account) => account !== last), last] : among;
  };
}

/** The first free slot among all but the last account, else the answer of the last. Undefined without an account. */
export async function askInTurn<A, T extends { readonly kind: string }>(
  accounts: readonly A[],
  tryNow: (account: A) => Promise<T>,
  ask: (account: A) => Promise<T>,
): Promise<T | undefined> {
  for (const account of accounts.slice(0, -1)) {
    const answer = await tryNow(account);
    if (answer.kind === 'allowed') return answer;
  }
  const last = accounts.at(-1);
  return last === undefined ? undefined : ask(last);
}
