// Memory, processor time and uptime of this process as metrics, read when the registry is collected.

import type { Metrics } from '../../kernel/metrics.ts';

const MICROS_PER_SECOND = 1e6;

export function registerProcessMetrics(metrics: Metrics): void {
  const memory = metrics.gauge(
    'process.memory.usage',
    'Memory of this process in bytes, by type: rss, heap_used, heap_total or external.',
    ['type'],
    'By',
  );
  const cpu = metrics.counter(
    'process.cpu.time',
    'Processor time of this process in seconds, by mode: user or system.',
    ['mode'],
    's',
  );
  const uptime = metrics
    .gauge('process.uptime', 'Time since the start of this process, in seconds.', [], 's')
    .cell();
  metrics.onCollect(() => {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    memory.cell('rss').value = rss;
    memory.cell('heap_used').value = heapUsed;
    memory.cell('heap_total').value = heapTotal;
    memory.cell('external').value = external;
    const { user, system } = process.cpuUsage();
    cpu.cell('user').value = user / MICROS_PER_SECOND;
    cpu.cell('system').value = system / MICROS_PER_SECOND;
    uptime.value = process.uptime();
  });
}
