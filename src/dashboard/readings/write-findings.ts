// The present problems, in words for operators: pure functions from facts to findings, one per subject. Providers, servers and
// organisations are named; prompts and provider texts never occur in facts.

import type { Finding } from '../api/findings.ts';
import { withAlerts } from './alert-findings.ts';
import type { Facts } from './facts.ts';
import { budgetFindings, jobFindings } from './work-findings.ts';

const MIN_REQUESTS = 20;
const MAX_ERROR_RATIO = 0.05;
/** A throttle of a few seconds is everyday work of the gateway. */
const MIN_THROTTLE_MS = 15_000;
const MAX_FINDINGS = 50;

/** The most severe first; of equal severity in the order of the subjects. */
export function writeFindings(facts: Facts): readonly Finding[] {
  const findings = [
    ...dependencyFindings(facts),
    ...credentialFindings(facts),
    ...limitFindings(facts),
    ...circuitFindings(facts),
    ...errorFindings(facts),
    ...serverFindings(facts),
    ...jobFindings(facts),
    ...budgetFindings(facts),
    ...headroomFindings(facts),
  ];
  return withAlerts(findings, facts.alerts ?? [])
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_FINDINGS);
}

function rank({ severity }: Finding): number {
  return severity === 'bad' ? 0 : 1;
}

const DEPENDENCIES = {
  store: {
    severity: 'bad',
    message: 'The store does not answer',
    action:
      'Calls with known keys continue and usage is kept in the journal. Check the database and its connections.',
  },
  redis: {
    severity: 'degraded',
    message: 'Redis does not answer',
    action:
      'Every server counts its safe share of the limits; jobs wait. Check Redis and its network.',
  },
  broker: {
    severity: 'degraded',
    message: 'RabbitMQ does not answer',
    action: 'Jobs are accepted into the store and wait. Check RabbitMQ and its network.',
  },
} as const;

function dependencyFindings({ dependencies }: Facts): Finding[] {
  return dependencies.flatMap(({ name, status }) =>
    status === 'up'
      ? []
      : [
          {
            id: `dependency:${name}`,
            kind: 'dependency' as const,
            ...DEPENDENCIES[name],
            since: null,
            until: null,
            page: 'cluster' as const,
            pageQuery: '',
          },
        ],
  );
}

function credentialFindings({ servers }: Facts): Finding[] {
  const refused = new Map<string, { provider: string; account: string }>();
  for (const { opinion, isSuspected } of servers)
    if (!isSuspected)
      for (const use of opinion.refusedAccounts) refused.set(`${use.provider}/${use.account}`, use);
  return [...refused].map(([id, { provider, account }]) => ({
    id: `credentials:${id}`,
    kind: 'credentials',
    severity: 'bad',
    message: `${provider} refuses the key of the account ${account}`,
    action: 'Replace the key in the configuration and restart the servers.',
    since: null,
    until: null,
    page: 'capacity',
    pageQuery: '',
  }));
}

function limitFindings({ limits, capacity, now }: Facts): Finding[] {
  return limits
    .filter(({ kind, resetAt }) => kind !== 'throttled' || resetAt - now > MIN_THROTTLE_MS)
    .map(({ provider, region, model, setAt, resetAt }) => {
      const place = model === null ? `${provider} ${region}` : `${model} at ${provider} ${region}`;
      const isWhole = capacity.some(
        (each) => each.provider === provider && each.limit.isActive && model === null,
      );
      return {
        id: `limit:${provider}/${region}${model === null ? '' : `/${model}`}`,
        kind: 'limit' as const,
        severity: isWhole && isOnlyProvider(capacity, provider) ? 'bad' : ('degraded' as const),
        message: `${place} is limited`,
        action:
          'Requests use other targets of their alias or wait. Add an account or raise the tier; clear the limit if the provider has lifted it.',
        since: setAt,
        until: resetAt,
        page: 'capacity' as const,
        pageQuery: '',
      };
    });
}

/** No other provider has a region without a limit. */
function isOnlyProvider(capacity: Facts['capacity'], provider: string): boolean {
  return capacity.every((each) => each.provider === provider || each.limit.isActive);
}

function circuitFindings({ circuits }: Facts): Finding[] {
  return circuits
    .filter(({ cause }) => cause !== 'limit')
    .map(({ provider, region, organization, state, openedAt, nextProbeAt }) => ({
      id: `circuit:${provider}/${region}`,
      kind: 'circuit',
      severity: state === 'open' && organization === null ? 'bad' : 'degraded',
      message:
        state === 'half_open'
          ? `${provider} ${region} is being probed after failures`
          : `${provider} ${region} is not called after failures`,
      action:
        'One call probes it when the time is over. Look at the failed requests; reset the breaker if the provider has recovered.',
      since: openedAt,
      until: state === 'open' ? nextProbeAt : null,
      page: 'capacity',
      pageQuery: '',
    }));
}

function errorFindings({ recent, now }: Facts): Finding[] {
  if (!recent || recent.requests < MIN_REQUESTS) return [];
  const { errorRatio = 0, errorsByCode, spanMs } = recent;
  if (errorRatio <= MAX_ERROR_RATIO) return [];
  const [code = ''] =
    Object.entries(errorsByCode).toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return [
    {
      id: 'errors',
      kind: 'errors',
      severity: errorRatio > 4 * MAX_ERROR_RATIO ? 'bad' : 'degraded',
      message: `${Math.round(errorRatio * 100)} % of requests fail, most of them with ${code}`,
      action: 'Open the failed requests to see which providers, models and organisations they hit.',
      since: now - spanMs,
      until: null,
      page: 'logs',
      pageQuery: `tab=requests&code=${encodeURIComponent(code)}`,
    },
  ];
}

function serverFindings({ servers, now }: Facts): Finding[] {
  return servers.flatMap((server) => {
    const problem = serverProblem(server, now);
    if (!problem) return [];
    return {
      id: `server:${server.id}`,
      kind: 'server',
      ...problem,
      until: null,
      page: 'cluster',
      pageQuery: `server=${encodeURIComponent(server.id)}`,
    };
  });
}

type Problem = Pick<Finding, 'severity' | 'message' | 'action' | 'since'>;

function serverProblem(server: Facts['servers'][number], now: number): Problem | undefined {
  const { id, lastHeartbeat, health, isSuspected, isDraining, isMaintenanceMode } = server;
  if (isSuspected)
    return {
      severity: 'bad',
      message: `The server ${id} does not announce itself`,
      action: 'No request is forwarded to it. Check whether it runs and reaches Redis.',
      since: Math.min(lastHeartbeat, now),
    };
  if (health === 'unhealthy' && !isDraining)
    return {
      severity: 'bad',
      message: `The server ${id} is unhealthy`,
      action: 'Its health check names the dependency that does not answer.',
      since: null,
    };
  if (!isDraining && !isMaintenanceMode) return undefined;
  return {
    severity: 'degraded',
    message: `The server ${id} ${isDraining ? 'drains' : 'is in maintenance'}`,
    action: 'Resume it on the page Cluster when the work is done.',
    since: null,
  };
}

function headroomFindings({ capacity }: Facts): Finding[] {
  return capacity.flatMap(({ provider, region, exhaustedAt, limit }) =>
    exhaustedAt === null || limit.isActive
      ? []
      : [
          {
            id: `headroom:${provider}/${region}`,
            kind: 'headroom' as const,
            severity: 'degraded' as const,
            message: `${provider} ${region} runs out of capacity at the present rate`,
            action: 'Add an account, raise the tier, or give the alias another target.',
            since: null,
            until: null,
            page: 'capacity' as const,
            pageQuery: '',
          },
        ],
  );
}
