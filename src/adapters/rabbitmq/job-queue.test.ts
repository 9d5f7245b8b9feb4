import { setTimeout as delay } from 'node:timers/promises';
import { jobQueueContract } from '../../../test/contract/jobs/job-queue.ts';
import { servicesFromEnv } from '../../../test/support/services/services-from-env.ts';
import { openRabbitRig, underPrefix } from '../../../test/support/stores/rabbit-rig.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { QueueType } from './topology/queue-definition.ts';

const { rabbitmqUrl } = servicesFromEnv(process.env);

for (const queueType of ['classic', 'quorum'] satisfies QueueType[]) {
  const open = async () => {
    const rig = await openRabbitRig(rabbitmqUrl, { queueType });
    const pass = (ms: number) => delay(ms);
    return { queue: underPrefix(rig), pass, clock: systemClock, close: () => rig.close() };
  };
  jobQueueContract(`RabbitMQ with ${queueType} queues`, open, { isFair: false });
}
