// `spillway doctor`: checks everything that a start depends on and prints a remedy for each problem. It changes nothing.
// It exits with 1 if a check failed; a warning is not a failure.

import { findServer, type ServerLocation } from '../../app/find-server.ts';
import { StartFailure } from '../../app/start-failure.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type AdminOptions, isSpillway } from '../admin-client.ts';
import { type CliContext, CliFailure } from '../command.ts';
import { silentProgress } from '../progress.ts';
import { safeText } from '../table.ts';
import { type CheckContext, type Finding, failed, ok, runCheck } from './check.ts';
import { DOCTOR_CHECKS } from './checks.ts';
import { checkRuntime } from './runtime.ts';

export async function runDoctor(context: CliContext, options: AdminOptions): Promise<void> {
  const findings = await examine(context, options);
  const failures = findings.filter(({ status }) => status === 'failed').length;
  context.out(options.json ? asJson(findings, failures) : findings.map(asText).join('\n'));
  if (failures === 0) return;
  throw new CliFailure(failures === 1 ? 'One check failed.' : `${failures} checks failed.`);
}

async function examine(context: CliContext, options: AdminOptions): Promise<readonly Finding[]> {
  const runtime = checkRuntime();
  const config = readConfig(context, options);
  if (config instanceof ConfigError) return [runtime, wrongConfig(config)];
  const findings = [runtime, { name: 'configuration', ...ok('The configuration is valid.') }];
  const checkContext = await checkContextOf(config);
  const progress = options.json ? silentProgress : context.progress;
  for (const [index, check] of DOCTOR_CHECKS.entries()) {
    progress.show(`checking ${check.name}`, index, DOCTOR_CHECKS.length);
    findings.push(...(await runCheck(check, checkContext)));
  }
  progress.clear();
  return findings;
}

function readConfig(context: CliContext, options: AdminOptions): Config | ConfigError {
  try {
    return loadConfig({ env: context.env, cwd: context.cwd, configFile: options.config });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function wrongConfig(error: ConfigError): Finding {
  const mend = 'Correct it where it is set; docs/configuration.md lists every setting.';
  return { name: 'configuration', ...failed(error.message, mend) };
}

async function checkContextOf(config: Config): Promise<CheckContext> {
  const location = locationOf(config);
  const isServerUp = location.url !== undefined && (await isSpillway(location.url));
  return { config, location, isServerUp, now: Date.now() };
}

/** The folder check reports an unreadable folder. */
function locationOf(config: Config): ServerLocation {
  try {
    return findServer(config);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    return { url: undefined, pid: undefined, adminKey: undefined, apiKey: undefined };
  }
}

function asJson(findings: readonly Finding[], failures: number): string {
  return JSON.stringify({ ok: failures === 0, checks: findings }, null, 2);
}

const MARKS = { ok: '✔', warning: '!', failed: '✖' } as const;

function asText(finding: Finding): string {
  const { name, status, sentence } = finding;
  const word = status === 'ok' ? '' : `${status}: `;
  const line = safeText(`${MARKS[status]} ${name.padEnd(14)}${word}${sentence}`);
  return finding.status === 'ok' ? line : `${line}\n${' '.repeat(16)}→ ${safeText(finding.mend)}`;
}
