// Retries, timeouts and circuit breakers at the top of a Portkey config. Spillway has one policy for all providers.

import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, type PeerMap, textOf } from '../peer-map.ts';

const DEFAULT_CODES = [429, 500, 502, 503, 504];

export function readReliability(config: PeerMap, context: ImportContext): void {
  const { draft, findings } = context;
  const retry = config.map('retry');
  if (retry) readRetry(retry, context);
  const timeout = config.number('request_timeout');
  if (timeout && timeout.value >= 1) {
    const ms = Math.round(timeout.value);
    draft.set('timeouts.unaryMs', ms);
    draft.set('timeouts.firstContentMs', ms);
    findings.taken(timeout.node, 'timeouts.unaryMs, timeouts.firstContentMs');
  }
  for (const breaker of [config.map('cb_config'), config.map('strategy')?.map('cb_config')])
    if (breaker) readBreaker(breaker, context);
}

function readRetry(retry: PeerMap, { draft, findings }: ImportContext): void {
  const attempts = retry.number('attempts');
  const listed = retry.list('on_status_codes').map((node) => Number(textOf(node)));
  const codes = listed.length > 0 ? listed : DEFAULT_CODES;
  const times = (isRetried: boolean): number =>
    isRetried ? Math.min(Math.floor(attempts?.value ?? 0), 100) : 0;
  const isError = codes.some((code) => code >= 500 && code !== 529);
  if (attempts) {
    draft.set('retry.throttledRetries', times(codes.includes(429)));
    draft.set('retry.overloadedRetries', times(codes.includes(529) || codes.includes(503)));
    draft.set('retry.errorRetries', times(isError));
    draft.set('retry.networkRetries', times(isError));
    findings.taken(attempts.node, RETRIES);
  }
  const node = retry.get('on_status_codes');
  if (node) findings.changed(node, RETRIES, 'by kind of failure: throttle, overload, server error');
  for (const key of ['use_retry_after_headers', 'use_retry_after_header']) {
    const wait = retry.boolean(key);
    if (!wait) continue;
    if (wait.value) findings.taken(wait.node, 'always: a stated delay is never shortened');
    else findings.changed(wait.node, 'always', 'a stated delay is never shortened');
  }
  retry.close(leftOutKeys({}));
}

const RETRIES = 'retry.throttledRetries, overloadedRetries, errorRetries, networkRetries';

function readBreaker(breaker: PeerMap, { draft, findings }: ImportContext): void {
  const failures = breaker.number('failure_threshold');
  if (failures && failures.value >= 1) {
    draft.set('breaker.failures', Math.floor(failures.value));
    findings.taken(failures.node, 'breaker.failures');
  }
  const cooldown = breaker.number('cooldown_interval');
  if (cooldown && cooldown.value >= 1) {
    draft.set('breaker.openMs', Math.min(Math.round(cooldown.value), 3_600_000));
    findings.taken(cooldown.node, 'breaker.openMs');
  }
  breaker.close(
    leftOutKeys({
      'failures of the provider count: 5xx, network errors and timeouts': 'failure_status_codes',
      'the number of failures and their share open the circuit':
        'failure_threshold_percentage minimum_requests',
    }),
  );
}
