// Reports the firing alerts of the running server, and checks the configuration of their delivery and of failure
// reports.

import { z } from 'zod';
import { type CheckContext, type DoctorCheck, failed, ok, type Verdict, warning } from './check.ts';

const TIMEOUT_MS = 5000;
const MAX_SHOWN = 20;

const page = z.object({
  data: z.array(
    z.object({ name: z.string(), severity: z.string(), message: z.string(), runbook: z.string() }),
  ),
});

export const alertsCheck: DoctorCheck = {
  name: 'alerts',
  async inspect(checkContext) {
    const { config } = checkContext;
    const verdicts = [await sentry(config.telemetry.sentryDsn), switchedOff(config.alerts.enabled)];
    const firing = config.alerts.enabled ? await firingAlerts(checkContext) : [];
    const problems = [...verdicts.filter((verdict) => verdict !== undefined), ...firing];
    if (problems.length > 0) return problems;
    return [ok(`No alert fires; messages go to ${sinksOf(checkContext)}.`)];
  },
};

function sinksOf({ config }: CheckContext): string {
  const { webhookUrl, slackUrl } = config.alerts;
  const others = [
    webhookUrl === undefined ? [] : ['the webhook'],
    slackUrl === undefined ? [] : ['Slack'],
  ];
  return ['the log', ...others.flat()].join(', ');
}

async function sentry(dsn: string | undefined): Promise<Verdict | undefined> {
  if (dsn === undefined) return undefined;
  const { isSentryInstalled } = await import('../../app/inspect/inspect-sentry.ts');
  if (isSentryInstalled()) return undefined;
  return failed(
    'SENTRY_DSN is set, but the package @sentry/node is not installed.',
    'Run npm install @sentry/node, or unset SENTRY_DSN.',
  );
}

function switchedOff(isEnabled: boolean): Verdict | undefined {
  if (isEnabled) return undefined;
  return warning('Alerts are switched off.', 'Set alerts.enabled to true.');
}

/** The server check reports a server that does not answer. */
async function firingAlerts({ location, isServerUp }: CheckContext): Promise<readonly Verdict[]> {
  const { url, adminKey } = location;
  if (!isServerUp || url === undefined || adminKey === undefined) return [];
  const answer = await fetch(`${url}/admin/alerts?state=firing&limit=${MAX_SHOWN}`, {
    headers: { authorization: `Bearer ${adminKey}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) return [];
  const { data } = page.parse(await answer.json());
  return data.map(({ name, message, runbook }) =>
    warning(`${name} fires: ${factOf(message)}`, `See ${runbook}.`),
  );
}

/** Without the remedy, which is in the section of the runbook. */
function factOf(message: string): string {
  return message.replace(/ See docs\/runbook\.md.*$/, '');
}
