// Writes each message about an alert as one log entry of the leading server.

import type { Log } from '../kernel/log.ts';
import type { AlertSink } from './alert-sink.ts';

export function createLogSink(log: Log): AlertSink {
  return {
    async send({ phase, text, alert }) {
      const { id, name, metric, subject, severity, value, threshold } = alert;
      const startLevel = severity === 'critical' ? 'critical' : 'warn';
      log.write({
        level: phase === 'started' ? startLevel : 'info',
        type: 'capacity',
        message: `alert ${phase}: ${text}`,
        metadata: { alertId: id, alert: name, metric, subject, severity, value, threshold, phase },
      });
    },
  };
}
