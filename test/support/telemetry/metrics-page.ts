// The metrics that a gateway registers, and the table of docs/metrics.md that lists them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSharingStatus } from '../../../src/adapters/redis/rate-limits/sharing-status.ts';
import { createGateway } from '../../../src/app/create-gateway.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { metricName } from '../../../src/http/prometheus.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { Metric } from '../../../src/kernel/metrics.ts';

const TABLE_START = '<!-- metrics: node test/support/telemetry/write-metrics-page.ts -->\n';
const TABLE_END = '<!-- end of metrics -->\n';

/** Of a process with all roles, and the metrics that only a Redis adds. */
export async function registeredMetrics(): Promise<readonly Metric[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-metrics-'));
  const env = { PORT: '0', LOG_LEVEL: 'critical', SPILLWAY_DATA_DIR: dataDir };
  const gateway = await createGateway(loadConfig({ env, cwd: dataDir }));
  try {
    createSharingStatus(silentLog, gateway.metrics);
    return [...gateway.metrics.collect()].sort((one, other) => (one.name < other.name ? -1 : 1));
  } finally {
    await gateway.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export function renderTable(metrics: readonly Metric[]): string {
  const rows = metrics.map((metric) => {
    const { name, kind, labelNames, unit, help } = metric;
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | \`${metricName(metric)}\` | ${kind} | ${labels} | ${unit === '1' ? '' : unit} | ${help} |`;
  });
  const head =
    '| name | in Prometheus | type | labels | unit | meaning |\n|---|---|---|---|---|---|\n';
  return `${head}${rows.join('\n')}\n`;
}

/** The page with the table between its markers. */
export function withTable(page: string, table: string): string {
  const start = page.indexOf(TABLE_START) + TABLE_START.length;
  return `${page.slice(0, start)}\n${table}\n${page.slice(page.indexOf(TABLE_END))}`;
}
