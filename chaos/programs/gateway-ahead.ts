// A gateway with a clock ahead of the machine's, for rows about times outside the run such as the end of a month. It is
// the composition of `spillway gateway` with another `Clock`, configured by the environment like every process, and
// exits on SIGTERM.

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
