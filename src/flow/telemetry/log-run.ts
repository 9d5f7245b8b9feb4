// The log line of a job's run. An allow-list: no prompt, no output, no provider text.

import type { EndedRun } from '../../jobs/pipeline/work-job.ts';
import type { Log } from '../../kernel/log.ts';
import { nanosToUsd } from '../../kernel/money.ts';

export function logRun(log: Log, { job, to, durationMs, outcome }: EndedRun): void {
  const isSuccess = to === 'succeeded';
  const result = outcome?.kind === 'succeeded' ? outcome.result : undefined;
  const failure = outcome?.kind === 'failed' ? outcome : undefined;
  log.write({
    level: to === 'failed' ? 'warn' : 'info',
    type: 'request',
    message: `job run ended: ${to}`,
    requestId: job.requestId ?? job.id,
    metadata: {
      jobId: job.id,
      organizationId: job.organizationId,
      keyId: job.keyId,
      userId: job.userId,
      origin: job.origin,
      provider: result?.provider ?? job.provider,
      model: result?.model ?? job.model,
      state: to,
      code: isSuccess ? 'OK' : failure?.verdict.code,
      providerErrorType: failure?.providerErrorType,
      run: job.run,
      attempts: job.attempts,
      durationMs: Math.round(durationMs),
      inputTokens: result?.usage.inputTokens,
      outputTokens: result?.usage.outputTokens,
      costUsd: result && nanosToUsd(result.costNanos),
    },
  });
}
