// Renews the table of docs/metrics.md from the registry: `node test/support/telemetry/write-metrics-page.ts`.

import { readFileSync, writeFileSync } from 'node:fs';
import { registeredMetrics, renderTable, withTable } from './metrics-page.ts';

const file = new URL('../../../docs/metrics.md', import.meta.url);
const page = readFileSync(file, 'utf8');
writeFileSync(file, withTable(page, renderTable(await registeredMetrics())));
