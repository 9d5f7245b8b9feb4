// The connection to PostgreSQL breaks between a COMMIT and its reply: the writer cannot know the outcome. The write is
// repeated, or the sweeper repairs it, and it takes effect once.

import type { ChaosRow } from '../chaos-row.ts';
import { cutAnswers } from '../faults/cut-cable.ts';
import { isCommitted } from '../faults/engine-answers.ts';

export const row: ChaosRow = {
  name: 'commit-cut',
  title: 'the network breaks between COMMIT and its reply',
  order: 15,
  isInShort: false,
  run: (arena) =>
    cutAnswers(arena, { to: 'databaseUrl', isAnswer: isCommitted, title: 'the reply to a commit' }),
};
