// Recommendations to the operator, in words, from the state of the cluster. Each sentence names its subject and the action.

import type { RegionCapacity } from './capacity.ts';
import type { Disagreement } from './disagreements.ts';
import type { ReplicaTarget } from './scaling/desired-replicas.ts';
import type { DirectorySnapshot } from './server-directory.ts';
import { isSuspected, liveServers, type RegistrySnapshot } from './server-record.ts';

export type Recommendation = {
  readonly action:
    | 'add_server'
    | 'add_worker'
    | 'raise_tier'
    | 'replace_key'
    | 'check_server'
    | 'check_redis'
    | 'check_messages';
  readonly subject: string;
  readonly message: string;
};

export type RecommendationFacts = {
  /** The server that answers. */
  readonly serverId: string;
  readonly snapshot: DirectorySnapshot;
  readonly capacity: readonly RegionCapacity[];
  readonly targets: readonly ReplicaTarget[];
  readonly disagreements: readonly Disagreement[];
};

export function recommend(facts: RecommendationFacts): readonly Recommendation[] {
  return [
    ...facts.targets.flatMap(forReplicas),
    ...facts.capacity.flatMap(forCapacity),
    ...forKeys(facts.snapshot),
    ...forRegistry(facts),
    ...forServers(facts.snapshot),
    ...facts.disagreements.map(forDisagreement),
  ];
}

function forReplicas({ role, provider, current, desired }: ReplicaTarget): Recommendation[] {
  if (desired <= current) return [];
  const count = `${desired} instead of ${current}`;
  return role === 'gateway'
    ? [
        {
          action: 'add_server',
          subject: 'gateways',
          message: `The gateways are busy: run ${count}.`,
        },
      ]
    : [
        {
          action: 'add_worker',
          subject: provider ?? '',
          message: `Jobs for ${provider} wait: run ${count} of its workers.`,
        },
      ];
}

function forCapacity({ provider, region, limit, exhaustedAt }: RegionCapacity): Recommendation[] {
  const subject = `${provider}/${region}`;
  const remedy = 'raise the tier of the account or add another account; more servers cannot help.';
  if (limit.isActive && limit.resetAt !== null) {
    const message = `The limit of ${provider} in ${region} is reached until ${isoTime(limit.resetAt)}: ${remedy}`;
    return [{ action: 'raise_tier', subject, message }];
  }
  if (exhaustedAt === null) return [];
  const message = `At the current rate the limit of ${provider} in ${region} is used up at ${isoTime(exhaustedAt)}: ${remedy}`;
  return [{ action: 'raise_tier', subject, message }];
}

function forKeys(snapshot: RegistrySnapshot): Recommendation[] {
  const refused = new Map<string, { provider: string; account: string }>();
  for (const { opinion } of liveServers(snapshot))
    for (const use of opinion.refusedAccounts) refused.set(`${use.provider}/${use.account}`, use);
  return [...refused].map(([subject, { provider, account }]) => ({
    action: 'replace_key',
    subject,
    message: `${provider} refuses the key of the account ${account}: replace it and restart the servers.`,
  }));
}

function forRegistry({ serverId: subject, snapshot }: RecommendationFacts): Recommendation[] {
  if (!snapshot.isStale) return [];
  const message = `${subject} cannot read the registry, and this is its last reading: check its connection to Redis.`;
  return [{ action: 'check_redis', subject, message }];
}

function forServers({ now, servers }: RegistrySnapshot): Recommendation[] {
  return servers.flatMap((server): Recommendation[] => {
    const { id, lastHeartbeat } = server;
    if (!isSuspected(server, now)) return [];
    const seconds = Math.round((now - lastHeartbeat) / 1000);
    const message = `${id} has not announced itself for ${seconds} s: check whether it runs and reaches Redis.`;
    return [{ action: 'check_server', subject: id, message }];
  });
}

function forDisagreement(difference: Disagreement): Recommendation {
  const { subject, provider, region, knownBy, unknownTo } = difference;
  const what = subject === 'limit' ? 'a limit' : 'an open circuit';
  return {
    action: 'check_messages',
    subject: `${provider}/${region}`,
    message: `${knownBy.join(', ')} know ${what} of ${provider} in ${region} and ${unknownTo.join(', ')} do not: check their connection to Redis.`,
  };
}

function isoTime(timestamp: number): string {
  return new Date(timestamp).toISOString();
}
