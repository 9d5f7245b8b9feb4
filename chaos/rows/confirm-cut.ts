// The connection to RabbitMQ breaks between a publish and its confirm: the publisher cannot know whether the broker has
// the message. It publishes again, and exactly one copy takes effect.

import type { ChaosRow } from '../chaos-row.ts';
import { cutAnswers } from '../faults/cut-cable.ts';
import { isConfirm } from '../faults/engine-answers.ts';

export const row: ChaosRow = {
  name: 'confirm-cut',
  title: 'the network breaks between a publish and its confirm',
  order: 14,
  isInShort: false,
  run: (arena) =>
    cutAnswers(arena, {
      to: 'rabbitmqUrl',
      isAnswer: isConfirm,
      title: 'the confirm of a publish',
    }),
};
