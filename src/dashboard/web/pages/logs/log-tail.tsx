// The tail of the log, newest first, with filters. New entries arrive by themselves until the reader pauses; a line of a
// request opens its timeline.

import { useRef, useState } from 'preact/hooks';
import type { LogEntry, LogPage } from '../../../api/logs.ts';
import { live } from '../../app/live.ts';
import { route, setParams } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { clockText, exactTimeText } from '../../charts/figure-text.ts';
import { keepEqualRows } from '../../data/is-equal.ts';
import { withQuery } from '../../data/query.ts';
import { usePages } from '../../data/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/field.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { isFiltered, PagedList } from '../paged-list.tsx';
import { SearchField } from '../search-field.tsx';
import { EntryPanel } from './entry-panel.tsx';
import { keyedEntries, LOG_LEVELS, LOG_TYPES, levelState, metadataPairs } from './log-words.ts';

const REFRESH_MS = 5000;
const ANY = { value: '', text: 'any' };

export function LogTail() {
  const { type = '', level = '', text = '', server = '', request } = route.value.params;
  const [pausedAt, setPausedAt] = useState<number>();
  const [opened, setOpened] = useState<LogEntry>();
  const isPaused = pausedAt !== undefined;
  const revision = live.revisions.value?.logs;
  const path = withQuery('/admin/logs', {
    type,
    level,
    text,
    server,
    limit: 100,
    before: pausedAt,
  });
  const pages = usePages<LogEntry>(path, entryKey, {
    cursorName: 'before',
    ...(isPaused ? {} : { refreshMs: REFRESH_MS, revision }),
  });
  const state = useResource<LogPage>('/admin/logs?limit=1');
  const shown = useRef<readonly Row[]>([]);
  const rows = pages.rows && keepEqualRows(shown.current, keyedEntries(pages.rows), keyOf);
  shown.current = rows ?? [];
  return (
    <div class="log-tail">
      <PagedList
        label="Log entries"
        pages={{ ...pages, rows }}
        keyOf={keyOf}
        columns={COLUMNS}
        filterNames={FILTERS}
        side={
          <Button
            icon={isPaused ? 'play' : 'pause'}
            isPressed={isPaused}
            onPress={() => setPausedAt(isPaused ? undefined : (rows?.[0]?.at ?? 0) + 1)}
          >
            {isPaused ? 'Continue' : 'Pause'}
          </Button>
        }
        filters={
          <>
            <Select
              label="Type"
              value={type}
              choices={[ANY, ...LOG_TYPES]}
              onChange={(value) => setParams({ type: value })}
            />
            <Select
              label="Level"
              value={level}
              choices={[ANY, ...LOG_LEVELS.map((each) => ({ value: each, text: each }))]}
              onChange={(value) => setParams({ level: value })}
            />
            <Select
              label="Server"
              value={server}
              choices={[ANY, ...serverChoices(server)]}
              onChange={(value) => setParams({ server: value })}
            />
            <SearchField
              label="Text"
              value={text}
              onChange={(value) => setParams({ text: value }, true)}
            />
          </>
        }
        onOpen={(row) => (row.requestId ? setParams({ request: row.requestId }) : setOpened(row))}
        selectedKey={
          rows?.find(({ requestId }) => requestId !== undefined && requestId === request)?.key
        }
        skeletonRows={16}
        empty={
          <NoEntries isFiltered={isFiltered(FILTERS)} isEnabled={state.data?.isEnabled ?? true} />
        }
      />
      {opened ? <EntryPanel entry={opened} onClose={() => setOpened(undefined)} /> : null}
    </div>
  );
}

function NoEntries({
  isFiltered,
  isEnabled,
}: {
  readonly isFiltered: boolean;
  readonly isEnabled: boolean;
}) {
  if (!isEnabled) {
    return (
      <Empty
        title="Log entries are not kept"
        icon="logs"
        command="ENABLE_REDIS_LOGGING=true npm start"
      >
        Every entry is on the standard output. In a cluster the dashboard shows the last ones if
        Redis keeps them:
      </Empty>
    );
  }
  if (isFiltered) return <Empty title="No entry matches these filters" icon="filter" />;
  return (
    <Empty title="No entries yet" icon="logs">
      Each request writes one line. Send one on the page <a href="#/try">Try it</a>.
    </Empty>
  );
}

type Row = LogEntry & { readonly key: string };

const FILTERS = ['type', 'level', 'text', 'server'] as const;

function keyOf({ key }: Row): string {
  return key;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'at',
    title: 'Time',
    render: ({ at }) => (
      <time class="figure" dateTime={new Date(at).toISOString()} title={exactTimeText(at)}>
        {clockText(at)}
      </time>
    ),
  },
  {
    id: 'level',
    title: 'Level',
    render: ({ level }) => <Status state={levelState(level)} word={level} />,
  },
  {
    id: 'type',
    title: 'Type',
    isWideOnly: true,
    render: ({ type }) => <span class="soft">{type}</span>,
  },
  { id: 'message', title: 'Message', render: (row) => <Message row={row} /> },
  {
    id: 'server',
    title: 'Server',
    isWideOnly: true,
    render: ({ serverId }) => <span class="cut soft">{serverId ?? ''}</span>,
  },
];

function Message({ row }: { readonly row: Row }) {
  return (
    <span class="log-message" title={row.message}>
      {row.message}{' '}
      {metadataPairs(row).map(([name, value]) => (
        <span key={name} class="log-pair">
          {name}=<span>{value}</span>
        </span>
      ))}
    </span>
  );
}

function serverChoices(selected: string) {
  const ids = new Set([...(live.servers.value ?? []).map(({ id }) => id), selected]);
  ids.delete('');
  return [...ids].map((id) => ({ value: id, text: id }));
}

function entryKey({ at, serverId, requestId, message }: LogEntry): string {
  return `${at} ${serverId ?? ''} ${requestId ?? ''} ${message}`;
}
