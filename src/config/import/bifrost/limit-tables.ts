// `governance.budgets` and `governance.rate_limits`: amounts that customers, teams, keys, providers and models refer to
// by id, or that name their owner themselves. A table reports an amount when an owner takes it, and at the end the
// amounts that no owner has.

import {
  type Converted,
  monthlyBudget,
  perMinute,
  type TokenLimit,
  tokenLimit,
} from '../amounts.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import type { PeerNode } from '../peer-node.ts';
import { BUDGET, RATE_LIMIT } from './left-out-keys.ts';

const OWNERS = [
  'virtual_key_id',
  'customer_id',
  'team_id',
  'model_config_id',
  'provider_config_id',
] as const;
export type OwnerKey = (typeof OWNERS)[number];

type Budget = {
  readonly id: string | undefined;
  readonly map: PeerMap;
  readonly nodes: readonly PeerNode[];
  readonly converted: Converted;
  readonly owners: ReadonlyMap<OwnerKey, string>;
};

export class BudgetTable {
  readonly #findings: ImportContext['findings'];
  readonly #budgets: Budget[];
  readonly #taken = new Set<Budget>();

  constructor(governance: PeerMap, { findings }: ImportContext) {
    this.#findings = findings;
    this.#budgets = governance.maps('budgets').flatMap((map) => this.#read(map));
  }

  /** The smallest of an owner's budgets, in US dollars per month, reported under `to`. */
  take(owner: PeerMap, key: OwnerKey, id: string | undefined, to: string): number | undefined {
    const reference = owner.text('budget_id');
    const inline = owner.maps('budgets').flatMap((map) => this.#read(map));
    const own = [
      ...inline,
      ...this.#budgets.filter(
        (budget) =>
          (reference !== undefined && budget.id === reference.value) ||
          (id !== undefined && budget.owners.get(key) === id),
      ),
    ];
    if (reference && own.length > 0) this.#findings.taken(reference.node, to);
    else if (reference) this.#findings.leftOut(reference.node, 'governance.budgets has no such id');
    for (const budget of own) this.#report(budget, to);
    return own.length === 0 ? undefined : Math.min(...own.map(({ converted }) => converted.amount));
  }

  /** Reports the budgets that no organisation or key has taken. */
  close(): void {
    for (const budget of this.#budgets)
      if (!this.#taken.has(budget))
        this.#findings.leftOut(budget.map.node, 'no customer, team or virtual key has it');
  }

  #read(map: PeerMap): readonly Budget[] {
    const [id, limit, period] = [
      map.text('id'),
      map.number('max_limit'),
      map.text('reset_duration'),
    ];
    const converted = limit && monthlyBudget(limit.value, period?.value);
    if (!limit || !converted) {
      this.#findings.leftOut(
        map.node,
        'it has no max_limit, or its reset_duration is not a period',
      );
      return [];
    }
    const stated = OWNERS.flatMap((key) => {
      const read = map.text(key);
      return read ? [{ key, read }] : [];
    });
    const nodes = [id, limit, period, ...stated.map(({ read }) => read)].flatMap((read) =>
      read ? [read.node] : [],
    );
    const owners = new Map(stated.map(({ key, read }) => [key, read.value]));
    return [{ id: id?.value, map, nodes, converted, owners }];
  }

  #report(budget: Budget, to: string): void {
    const { map, nodes, converted } = budget;
    this.#taken.add(budget);
    for (const node of nodes)
      if (converted.reason === undefined) this.#findings.taken(node, to);
      else this.#findings.changed(node, to, converted.reason);
    map.close(BUDGET);
  }
}

export type RateLimit = {
  readonly requests: Converted | undefined;
  readonly tokens: TokenLimit | undefined;
};

type KnownLimit = RateLimit & { readonly map: PeerMap; readonly nodes: readonly PeerNode[] };

export class RateLimitTable {
  readonly #findings: ImportContext['findings'];
  readonly #limits = new Map<string, KnownLimit>();
  readonly #taken = new Set<KnownLimit>();

  constructor(governance: PeerMap, { findings }: ImportContext) {
    this.#findings = findings;
    for (const map of governance.maps('rate_limits')) this.#read(map);
  }

  /** `takesTokens`: whether the owner can have a limit of tokens. */
  take(owner: PeerMap, to: string, takesTokens: boolean): RateLimit | undefined {
    const reference = owner.text('rate_limit_id');
    if (!reference) return undefined;
    const known = this.#limits.get(reference.value);
    if (!known) {
      this.#findings.leftOut(reference.node, 'governance.rate_limits has no such id');
      return undefined;
    }
    this.#findings.taken(reference.node, to);
    this.#report(known, to, takesTokens);
    return known;
  }

  close(): void {
    for (const limit of this.#limits.values())
      if (!this.#taken.has(limit))
        this.#findings.leftOut(limit.map.node, 'nothing in this file refers to it');
  }

  #read(map: PeerMap): void {
    const id = map.text('id');
    const [requests, per] = [map.number('request_max_limit'), map.text('request_reset_duration')];
    const [tokens, tokensPer] = [map.number('token_max_limit'), map.text('token_reset_duration')];
    if (!id) return this.#findings.leftOut(map.node, 'it has no id');
    this.#limits.set(id.value, {
      map,
      nodes: [id, requests, per, tokens, tokensPer].flatMap((read) => (read ? [read.node] : [])),
      requests: requests && perMinute(requests.value, per?.value ?? '1m'),
      tokens: tokens && tokenLimit(tokens.value, tokensPer?.value ?? '1m'),
    });
  }

  #report(limit: KnownLimit, to: string, takesTokens: boolean): void {
    const { map, nodes, requests, tokens } = limit;
    this.#taken.add(limit);
    for (const node of nodes) {
      const isTokens = node.path.includes('.token_');
      const reason = isTokens ? tokens?.reason : requests?.reason;
      if (isTokens && !takesTokens)
        this.#findings.leftOut(
          node,
          'tokens are limited for organisations and accounts, not for keys',
        );
      else if (reason === undefined) this.#findings.taken(node, to);
      else this.#findings.changed(node, to, reason);
    }
    map.close(RATE_LIMIT);
  }
}
