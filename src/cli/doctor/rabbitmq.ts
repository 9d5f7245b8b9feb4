// Checks the RabbitMQ of RABBITMQ_URL and its queues. Spillway uses queues of other systems as they are, so this check
// reports their problems; the start does not refuse them.

import type { DoctorCheck } from './check.ts';

export const rabbitmqCheck: DoctorCheck = {
  name: 'rabbitmq',
  async inspect({ config }) {
    const { rabbitmqUrl } = config.storage;
    if (rabbitmqUrl === undefined) return [];
    const { inspectQueues } = await import('../../app/inspect/inspect-queues.ts');
    return (await inspectQueues(config, rabbitmqUrl)).findings;
  },
};
