// The cluster as a map: servers by region, their load, and arrows for requests that one server forwards to another. A server
// that disagrees with others about a limit shows two colours. Each server is a link to its row.

import type { ClusterServer, ClusterStatus } from '../../../api/cluster.ts';
import { ChartFrame } from '../chart-frame.tsx';
import { countText } from '../figure-text.ts';
import { clampFraction } from '../scale.ts';
import { toneColor } from '../tone.ts';
import { useWidth } from '../use-width.ts';
import { type MapPicture, mapLayout, SERVER_HEIGHT, SERVER_WIDTH } from './map-layout.ts';
import { disagreementsOf, disagreementText, serverState } from './server-state.ts';
import '../charts.css';
import './cluster.css';

export type ClusterMapProps = {
  readonly status: ClusterStatus | undefined;
  /** The address of a server's row. */
  readonly linkOf: (serverId: string) => string;
};

const MAX_NAME_CHARACTERS = 16;

export function ClusterMap({ status, linkOf }: ClusterMapProps) {
  const [host, width] = useWidth<HTMLDivElement>();
  const sentence = status ? mapSentence(status) : '';
  const picture = status && width > 0 ? mapLayout(status, width) : undefined;
  return (
    <div ref={host} class="cluster-map">
      <ChartFrame
        title="Servers by region"
        description={sentence}
        state={status === undefined ? 'loading' : 'ready'}
        height={picture ? picture.height : 180}
        note={sentence}
        table={() => ({
          columns: ['From', 'To', 'Forwarded requests'],
          rows: (status?.forwarding ?? []).map(({ from, to, count }) => [
            from,
            to,
            countText(count),
          ]),
        })}
      >
        {status && picture ? <Picture status={status} picture={picture} linkOf={linkOf} /> : null}
      </ChartFrame>
    </div>
  );
}

function mapSentence({ servers, forwarding }: ClusterStatus): string {
  const healthy = servers.filter((server) => serverState(server).tone === 'good').length;
  const forwarded = forwarding.reduce((sum, { count }) => sum + count, 0);
  const noun = servers.length === 1 ? 'server' : 'servers';
  const all = healthy === servers.length ? 'all healthy' : `${healthy} healthy`;
  return `${servers.length} ${noun}, ${all}; ${countText(forwarded)} requests forwarded.`;
}

function Picture(props: {
  readonly status: ClusterStatus;
  readonly picture: MapPicture;
  readonly linkOf: (serverId: string) => string;
}) {
  const { status, picture } = props;
  const servers = new Map(status.servers.map((server) => [server.id, server]));
  return (
    <svg
      class="map-picture"
      role="group"
      aria-label="Map of the servers"
      viewBox={`0 0 ${picture.width} ${picture.height}`}
      width={picture.width}
      height={picture.height}
    >
      {picture.regions.map(({ name, x, y, width, height }) => (
        <g key={name}>
          <rect class="map-region" x={x} y={y} width={width} height={height} rx="10" />
          <text class="map-region-name" x={x + 16} y={y + 19}>
            {name}
          </text>
        </g>
      ))}
      {picture.arrows.map(({ key, path, head, widthPx, count, from, to }) => (
        <g key={key} class="map-arrow">
          <title>{`${from} has forwarded ${countText(count)} requests to ${to}`}</title>
          <path d={path} stroke-width={widthPx} />
          <path class="map-arrow-head" d={head} />
        </g>
      ))}
      {picture.servers.map(({ id, x, y }) => {
        const server = servers.get(id);
        return server ? (
          <a key={id} href={props.linkOf(id)} class="map-server">
            <g transform={`translate(${x} ${y})`}>
              <ServerBox server={server} status={status} />
            </g>
          </a>
        ) : null;
      })}
      {picture.arrows.map(({ key, label, count }) => (
        <text key={key} class="map-arrow-count" x={label.x} y={label.y} aria-hidden="true">
          {countText(count)}
        </text>
      ))}
    </svg>
  );
}

function ServerBox(props: { readonly server: ClusterServer; readonly status: ClusterStatus }) {
  const { server, status } = props;
  const { tone, word } = serverState(server);
  const isDisputed = disagreementsOf(status, server.id).length > 0;
  const load = clampFraction(server.currentLoad / Math.max(1, server.maxConcurrentBuilds));
  return (
    <>
      <rect class="map-box" width={SERVER_WIDTH} height={SERVER_HEIGHT} rx="8">
        <title>{serverLabel(server, status)}</title>
      </rect>
      <path class="map-half" d="M16 10 a8 8 0 0 0 0 16 z" fill={toneColor(tone)} />
      <path
        class="map-half"
        d="M16 10 a8 8 0 0 1 0 16 z"
        fill={toneColor(isDisputed ? disputedTone(tone) : tone)}
      />
      <text class="map-name" x="32" y="18">
        {shortName(server.id)}
      </text>
      <text class="map-word" x="32" y="33">
        {isDisputed ? `${word}, disagrees` : word}
      </text>
      <rect class="map-load" x="12" y="44" width={SERVER_WIDTH - 24} height="5" rx="2.5" />
      <rect
        class="map-load-used"
        x="12"
        y="44"
        width={(SERVER_WIDTH - 24) * load}
        height="5"
        rx="2.5"
      />
    </>
  );
}

function disputedTone(tone: string) {
  return tone === 'degraded' ? 'bad' : 'degraded';
}

function serverLabel(server: ClusterServer, status: ClusterStatus): string {
  const { word } = serverState(server);
  const disputes = disagreementsOf(status, server.id).map(disagreementText).join(' ');
  const load = `${server.currentLoad} of ${server.maxConcurrentBuilds} requests in flight`;
  return `${server.id} in ${server.region}: ${word}, ${load}. ${disputes}`.trim();
}

function shortName(id: string): string {
  return id.length <= MAX_NAME_CHARACTERS ? id : `${id.slice(0, MAX_NAME_CHARACTERS - 1)}…`;
}
