// `spillway doctor`: checks everything that a start depends on and prints a remedy for each problem. It changes nothing.
// It exits with 1 if a check failed; a warning is not a failure.

import { findServer, type ServerLocation } from '../../app/find-server.ts';
import { StartFailure } from '../../app/start-failure.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type AdminOptions, isSpillway } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import { type CliContext, CliFailure, type RegisterCommand } from '../command.ts';
import { type CheckContext, type Finding, failed, ok, runCheck } from '../doctor/check.ts';
import { DOCTOR_CHECKS } from '../doctor/checks.ts';
import { checkRuntime } from '../doctor/runtime.ts';
import { safeText } from '../table.ts';

export const registerDoctor: RegisterCommand = (program, context) => {
  adminCommand(
    program,
    'doctor',
    'Check this installation and print a remedy for each problem',
  ).action((options: AdminOptions) => doctor(context, options));
};

async function doctor(context: CliContext, options: AdminOptions): Promise<void> {
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
  for (const check of DOCTOR_CHECKS) findings.push(...(await runCheck(check, checkContext)));
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
