// Opens the reports of failures to Sentry, if a DSN is configured.

import type { Config } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { reportingLog } from '../../kernel/notify/failure-reports.ts';
import { VERSION } from '../../kernel/version.ts';
import { StartFailure } from '../start-failure.ts';

export type ReportContext = {
  readonly serverId: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
};

/** The log with reports, or the log itself. */
export async function openFailureReports(
  config: Config,
  log: Log,
  { serverId, clock, lifecycle }: ReportContext,
): Promise<Log> {
  const dsn = config.telemetry.sentryDsn;
  if (dsn === undefined) return log;
  // Imported only here: the package is optional, and large.
  const { openSentryReports } = await import('../../adapters/sentry/failure-reports.ts');
  try {
    const reports = await openSentryReports({ dsn, serverId, release: VERSION, clock });
    lifecycle.onClose('failure reports', () => reports.close());
    return reportingLog(log, reports);
  } catch (cause) {
    if (!isMissingPackage(cause)) throw cause;
    throw new StartFailure(
      'SENTRY_DSN is set, but the package @sentry/node is not installed; run: npm install @sentry/node, or unset SENTRY_DSN.',
    );
  }
}

function isMissingPackage(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
}
