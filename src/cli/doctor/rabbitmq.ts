// Can the RabbitMQ behind RABBITMQ_URL be used, and are the queues on it as they should be? Queues that other
// systems made are used as found, so what is wrong with them is told here rather than by a refused start.

import type { DoctorCheck } from './check.ts';

export const rabbitmqCheck: DoctorCheck = {
  name: 'rabbitmq',
  async look({ config }) {
    const { rabbitmqUrl } = config.storage;
    if (rabbitmqUrl === undefined) return [];
    const { inspectQueues } = await import('../../app/inspect/inspect-queues.ts');
    return (await inspectQueues(config, rabbitmqUrl)).findings;
  },
};
