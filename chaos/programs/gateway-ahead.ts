// A gateway whose clock is ahead of the machine's, for rows about moments that do not come while they run, such as the end
// of a month. It is the composition of `spillway gateway` given another `Clock`, the one door for time; nothing in the
// product knows of it. It is configured by the environment as every process is, and ends when it is told to.

import { createGateway } from '../../src/app/create-gateway.ts';
import { rolesOf } from '../../src/app/roles.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';

const aheadMs = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
const config = loadConfig({ env: process.env, cwd: process.cwd() });
const gateway = await createGateway(config, rolesOf('gateway', config), clock);
await gateway.listen();
process.once('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
