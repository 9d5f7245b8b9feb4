// One log entry with all of its fields, for entries that belong to no request.

import type { LogEntry } from '../../../api/logs.ts';
import { exactTimeText } from '../../charts/figure-text.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { Facts } from '../facts.tsx';
import { levelState } from './log-words.ts';

export function EntryPanel(props: { readonly entry: LogEntry; readonly onClose: () => void }) {
  const { at, level, type, message, serverId, metadata = {} } = props.entry;
  return (
    <Dialog isPanel title="Log entry" onClose={props.onClose}>
      <p class="lead">
        <Status state={levelState(level)} word={level} /> {message}
      </p>
      <Facts
        facts={[
          ['Time', exactTimeText(at)],
          ['Type', type],
          ['Server', serverId ?? 'unknown'],
          ...Object.entries(metadata).map(([name, value]) => {
            const text = typeof value === 'string' ? value : JSON.stringify(value);
            return [name, <Copyable key={name} value={text} />] as const;
          }),
        ]}
      />
    </Dialog>
  );
}
