// The connection to PostgreSQL breaks after a COMMIT and before the word of it has come: whoever wrote cannot know whether it
// is written. It is asked for again, or swept up, and has its effect once.

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
