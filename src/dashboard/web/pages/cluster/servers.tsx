// The servers as a table: state, region, load, version, last heartbeat and the switches.

import type { ClusterServer, ClusterStatus } from '../../../api/cluster.ts';
import { route, setParams } from '../../app/router.ts';
import { disagreementsOf, serverState } from '../../charts/cluster/server-state.ts';
import { clampFraction } from '../../charts/scale.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { SearchField } from '../search-field.tsx';
import { type ModeQuestion, ServerSwitches } from './server-mode.tsx';

export function Servers(props: {
  readonly status: ClusterStatus | undefined;
  readonly onAsk: (question: ModeQuestion) => void;
}) {
  const { status } = props;
  const { find = '', sort, server } = route.value.params;
  const rows = status?.servers.filter(({ id, region, version }) =>
    [id, region, version].some((field) => field.toLowerCase().includes(find.toLowerCase())),
  );
  return (
    <>
      <FilterBar onReset={find === '' ? undefined : () => setParams({ find: '' })}>
        <SearchField
          label="Server, region or version"
          value={find}
          onChange={(value) => setParams({ find: value }, true)}
        />
      </FilterBar>
      <Table
        label="Servers"
        columns={columns(status, props.onAsk)}
        rows={rows}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={(next) => setParams({ sort: next }, true)}
        selectedKey={server}
        skeletonRows={3}
        empty={<Empty title="No server matches" icon="filter" />}
      />
      {status?.servers.length === 1 ? (
        <Empty
          title="One server"
          icon="cluster"
          command="REDIS_URL=redis://… DATABASE_URL=postgres://… SERVER_URL=http://this-host:8080 CLUSTER_SECRET=… npm start"
        >
          Servers that share Redis, PostgreSQL and a secret find each other. Start a second one with
          the same addresses:
        </Empty>
      ) : null}
    </>
  );
}

function columns(
  status: ClusterStatus | undefined,
  ask: (question: ModeQuestion) => void,
): readonly Column<ClusterServer>[] {
  return [
    {
      id: 'id',
      title: 'Server',
      value: ({ id }) => id,
      render: (server) => (
        <span class="two-lines" title={server.url}>
          <span>
            <Copyable value={server.id} />{' '}
            {status?.serverId === server.id ? <Badge>this page</Badge> : null}
          </span>
          <span class="soft server-roles" title={rolesText(server)}>
            {rolesText(server)}
          </span>
          <span class="soft narrow-only">
            {server.region}, load {server.currentLoad} of {server.maxConcurrentBuilds}
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      title: 'State',
      value: (server) => serverState(server).word,
      render: (server) => <ServerStatus server={server} status={status} />,
    },
    {
      id: 'region',
      title: 'Region',
      isWideOnly: true,
      value: ({ region }) => region,
      render: ({ region }) => <span class="no-wrap">{region}</span>,
    },
    {
      id: 'load',
      title: 'Load',
      isWideOnly: true,
      value: ({ currentLoad }) => currentLoad,
      render: (server) => <Load server={server} />,
    },
    {
      id: 'version',
      title: 'Version',
      isRoomyOnly: true,
      value: ({ version }) => version,
      render: ({ version }) => <span class="mono">{version}</span>,
    },
    {
      id: 'heartbeat',
      title: 'Last heartbeat',
      isWideOnly: true,
      value: ({ lastHeartbeat }) => lastHeartbeat,
      render: ({ lastHeartbeat }) => <RelativeTime at={lastHeartbeat} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      align: 'right',
      render: (server) => <ServerSwitches server={server} onAsk={ask} />,
    },
  ];
}

function ServerStatus(props: {
  readonly server: ClusterServer;
  readonly status: ClusterStatus | undefined;
}) {
  const { server, status } = props;
  const { tone, word, reason } = serverState(server);
  const disputes = status ? disagreementsOf(status, server.id).length : 0;
  return (
    <span title={reason}>
      <Status state={tone} word={word} />{' '}
      {disputes > 0 ? <Badge state="degraded">disagrees</Badge> : null}
    </span>
  );
}

function Load({ server }: { readonly server: ClusterServer }) {
  const { id, currentLoad, maxConcurrentBuilds } = server;
  const share = clampFraction(currentLoad / Math.max(1, maxConcurrentBuilds));
  return (
    <span class="load">
      <span
        class="load-bar"
        role="meter"
        aria-label={`Load of ${id}`}
        aria-valuemin={0}
        aria-valuemax={maxConcurrentBuilds}
        aria-valuenow={currentLoad}
      >
        <span class="load-used" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="figure">
        {currentLoad} of {maxConcurrentBuilds}
      </span>
    </span>
  );
}

function rolesText({ isGateway, isDispatcher, workers }: ClusterServer): string {
  const roles = [
    isGateway ? 'gateway' : '',
    isDispatcher ? 'dispatcher' : '',
    ...workers.map(
      ({ provider, running, concurrency }) => `worker ${provider} ${running}/${concurrency}`,
    ),
  ];
  return roles.filter((role) => role !== '').join(', ');
}
