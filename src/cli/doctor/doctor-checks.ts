// Every check of `spillway doctor` that needs a valid configuration, in the order it is told.

import type { DoctorCheck } from './doctor-check.ts';
import { clockCheck } from './doctor-clock.ts';
import { diskCheck } from './doctor-disk.ts';
import { folderCheck } from './doctor-folder.ts';
import { journalCheck } from './doctor-journal.ts';
import { limitsCheck } from './doctor-limits.ts';
import { portCheck } from './doctor-port.ts';
import { postgresCheck } from './doctor-postgres.ts';
import { providersCheck } from './doctor-providers.ts';
import { rabbitmqCheck } from './doctor-rabbitmq.ts';
import { redisCheck } from './doctor-redis.ts';
import { serverCheck } from './doctor-server.ts';
import { storeCheck } from './doctor-store.ts';

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
];
