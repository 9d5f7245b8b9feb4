// The reasons of an advised number of servers, as words. A reason that this page does not know is shown as it is.

const WORDS: Readonly<Record<string, string>> = {
  steady: 'the load fits',
  idle: 'little load',
  utilization: 'high load',
  queue_depth: 'many jobs wait',
  queue_wait: 'a job waits too long',
  provider_limit: 'more would not help: the provider is limited',
  circuit: 'more would not help: the circuit is open',
  lower_bound: 'the configured minimum',
  upper_bound: 'the configured maximum',
};

export function reasonsText(reasons: readonly string[]): string {
  return reasons.map((reason) => WORDS[reason] ?? reason).join(', ') || '–';
}
