// Retries, timeouts and cooldowns of `litellm_settings` and `router_settings`.

import type { ImportContext } from '../import-context.ts';
import { leftOutKeys, type PeerMap, type Read } from '../peer-map.ts';

const MOST_RETRIES = 100;
const RETRIES = ['throttledRetries', 'overloadedRetries', 'errorRetries', 'networkRetries'];

export function readReliability(section: PeerMap, context: ImportContext): void {
  readRetries(section, context);
  readRetryPolicy(section, context);
  readTimeouts(section, context);
  readCooldown(section, context);
}

function readRetries(section: PeerMap, { draft, findings }: ImportContext): void {
  const retries = section.number('num_retries');
  if (retries) {
    for (const key of RETRIES) draft.set(`retry.${key}`, bounded(retries.value));
    findings.changed(
      retries.node,
      `retry.${RETRIES.join(', retry.')}`,
      'a timeout is not retried, because the provider has worked and is paid; set retry.timeoutRetries',
    );
  }
  const delay = section.number('retry_after');
  if (!delay) return;
  const ms = Math.min(Math.max(1, Math.round(delay.value * 1000)), 3_600_000);
  draft.set('retry.baseMs', ms);
  findings.changed(delay.node, 'retry.baseMs', 'the delay doubles with each retry');
}

const POLICY: Readonly<Record<string, readonly string[]>> = {
  RateLimitErrorRetries: ['throttledRetries'],
  InternalServerErrorRetries: ['errorRetries', 'overloadedRetries'],
  TimeoutErrorRetries: ['timeoutRetries'],
};

const NEVER_RETRIED = leftOutKeys({
  'the provider would refuse the same request again':
    'BadRequestErrorRetries AuthenticationErrorRetries ContentPolicyViolationErrorRetries',
});

function readRetryPolicy(section: PeerMap, { draft, findings }: ImportContext): void {
  const policy = section.map('retry_policy');
  if (!policy) return;
  for (const [key, settings] of Object.entries(POLICY)) {
    const retries = policy.number(key);
    if (!retries) continue;
    for (const setting of settings) draft.set(`retry.${setting}`, bounded(retries.value));
    findings.taken(retries.node, settings.map((setting) => `retry.${setting}`).join(', '));
  }
  policy.close(NEVER_RETRIED);
}

function readTimeouts(section: PeerMap, { draft, findings }: ImportContext): void {
  const whole = [section.number('request_timeout'), section.number('timeout')];
  for (const timeout of whole) {
    if (!timeout || !isPositive(timeout, findings)) continue;
    const ms = Math.round(timeout.value * 1000);
    draft.set('timeouts.unaryMs', ms);
    // A request with all its attempts gets at least as much time as one attempt.
    if (ms > DEFAULT_TOTAL_MS) draft.set('timeouts.totalMs', ms);
    findings.taken(timeout.node, 'timeouts.unaryMs');
  }
  const stream = section.number('stream_timeout');
  if (!stream || !isPositive(stream, findings)) return;
  const ms = Math.round(stream.value * 1000);
  draft.set('timeouts.firstContentMs', ms);
  draft.set('timeouts.reasoningFirstContentMs', ms);
  findings.changed(
    stream.node,
    'timeouts.firstContentMs, timeouts.reasoningFirstContentMs',
    'it bounds the time to the first content; timeouts.idleMs bounds pauses',
  );
}

const DEFAULT_TOTAL_MS = 600_000;

function readCooldown(section: PeerMap, { draft, findings }: ImportContext): void {
  const fails = section.number('allowed_fails');
  if (fails) {
    draft.set('breaker.failures', Math.min(Math.floor(fails.value) + 1, MOST_FAILURES));
    findings.changed(
      fails.node,
      'breaker.failures',
      'a circuit belongs to a provider and region, and also needs half of the calls to fail',
    );
  }
  const cooldown = section.number('cooldown_time');
  if (cooldown && isPositive(cooldown, findings)) {
    draft.set('breaker.openMs', Math.min(Math.round(cooldown.value * 1000), 3_600_000));
    findings.taken(cooldown.node, 'breaker.openMs');
  }
  const isOff = section.boolean('disable_cooldowns');
  if (!isOff) return;
  if (isOff.value) draft.set('breaker.failures', MOST_FAILURES);
  findings.taken(isOff.node, 'breaker.failures');
}

const MOST_FAILURES = 1_000_000;

function bounded(retries: number): number {
  return Math.min(Math.floor(retries), MOST_RETRIES);
}

function isPositive({ value, node }: Read<number>, findings: ImportContext['findings']): boolean {
  if (value >= 0.001) return true;
  findings.leftOut(node, 'zero is no time; the default of Spillway applies');
  return false;
}
