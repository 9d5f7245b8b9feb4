// All checks of `spillway doctor` that need a valid configuration, in the order of the report.

import { alertsCheck } from './alerts.ts';
import type { DoctorCheck } from './check.ts';
import { clockCheck } from './clock.ts';
import { diskCheck } from './disk.ts';
import { folderCheck } from './folder.ts';
import { journalCheck } from './journal.ts';
import { limitsCheck } from './limits.ts';
import { portCheck } from './port.ts';
import { postgresCheck } from './postgres.ts';
import { providersCheck } from './providers.ts';
import { rabbitmqCheck } from './rabbitmq.ts';
import { redisCheck } from './redis.ts';
import { serverCheck } from './server.ts';
import { storeCheck } from './store.ts';

export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  folderCheck,
  serverCheck,
  portCheck,
  storeCheck,
  postgresCheck,
  redisCheck,
  rabbitmqCheck,
  limitsCheck,
  journalCheck,
  providersCheck,
  clockCheck,
  diskCheck,
  alertsCheck,
];
