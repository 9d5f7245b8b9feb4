// The geometry of the cluster map: regions as boxes, servers inside, arrows for forwarded requests between them. Arrows in
// both directions bend to different sides. Pure geometry; `cluster-map.tsx` draws it.

import type { ClusterStatus } from '../../../api/cluster.ts';

export type MapServer = {
  readonly id: string;
  readonly x: number;
  readonly y: number;
};

export type MapRegion = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type MapArrow = {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly path: string;
  readonly head: string;
  readonly widthPx: number;
  readonly label: { readonly x: number; readonly y: number };
};

export type MapPicture = {
  readonly width: number;
  readonly height: number;
  readonly regions: readonly MapRegion[];
  readonly servers: readonly MapServer[];
  readonly arrows: readonly MapArrow[];
};

export const SERVER_WIDTH = 148;
export const SERVER_HEIGHT = 60;

const GAP = 56;
const PADDING = 16;
const REGION_HEAD = 28;
const REGION_GAP = 40;
const MIN_BEND_PX = 24;
const MAX_BEND_PX = 72;

type Placed = Pick<ClusterStatus, 'servers' | 'forwarding'>;

export function mapLayout(status: Placed, width: number): MapPicture {
  const groups = [...Map.groupBy(status.servers, ({ region }) => region)].toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  const regions: MapRegion[] = [];
  const servers: MapServer[] = [];
  let [x, y, rowHeight] = [0, 0, 0];
  for (const [name, members] of groups) {
    const columns = Math.max(
      1,
      Math.min(members.length, fittingColumns(width), groups.length > 1 ? 2 : 4),
    );
    const rows = Math.ceil(members.length / columns);
    const size = {
      width: 2 * PADDING + columns * SERVER_WIDTH + (columns - 1) * GAP,
      height: REGION_HEAD + PADDING + rows * SERVER_HEIGHT + (rows - 1) * GAP,
    };
    if (x > 0 && x + size.width > width) [x, y, rowHeight] = [0, y + rowHeight + REGION_GAP, 0];
    regions.push({ name, x, y, ...size });
    for (const [index, { id }] of members.toSorted((a, b) => a.id.localeCompare(b.id)).entries()) {
      servers.push({
        id,
        x: x + PADDING + (index % columns) * (SERVER_WIDTH + GAP),
        y: y + REGION_HEAD + Math.floor(index / columns) * (SERVER_HEIGHT + GAP),
      });
    }
    x += size.width + REGION_GAP;
    rowHeight = Math.max(rowHeight, size.height);
  }
  return { width, height: y + rowHeight, regions, servers, arrows: arrowsOf(status, servers) };
}

function fittingColumns(width: number): number {
  return Math.max(1, Math.floor((width - 2 * PADDING + GAP) / (SERVER_WIDTH + GAP)));
}

function arrowsOf({ forwarding }: Placed, servers: readonly MapServer[]): readonly MapArrow[] {
  const places = new Map(servers.map((server) => [server.id, server]));
  const largest = Math.max(1, ...forwarding.map(({ count }) => count));
  return forwarding.flatMap(({ from, to, count }) => {
    const [start, end] = [places.get(from), places.get(to)];
    if (!start || !end || from === to || count <= 0) return [];
    const widthPx = 1.5 + 4.5 * (count / largest);
    return [{ key: `${from} ${to}`, from, to, count, widthPx, ...curve(start, end) }];
  });
}

type Point = { readonly x: number; readonly y: number };

/** A bent line from the edge of one box to the edge of another, its head, and the place of its label. */
function curve(from: MapServer, to: MapServer): Pick<MapArrow, 'path' | 'head' | 'label'> {
  const [a, b] = [centre(from), centre(to)];
  const distance = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const side = { x: -(b.y - a.y) / distance, y: (b.x - a.x) / distance };
  const by = Math.min(MAX_BEND_PX, Math.max(MIN_BEND_PX, distance * 0.16));
  const bend = { x: (a.x + b.x) / 2 + side.x * by, y: (a.y + b.y) / 2 + side.y * by };
  const [start, end] = [edge(a, bend), edge(b, bend, 8)];
  const angle = Math.atan2(end.y - bend.y, end.x - bend.x);
  const tip = { x: end.x + 7 * Math.cos(angle), y: end.y + 7 * Math.sin(angle) };
  const wing = (turn: number) =>
    `${round(end.x + 5 * Math.cos(angle + turn))} ${round(end.y + 5 * Math.sin(angle + turn))}`;
  return {
    path: `M${point(start)} Q${point(bend)} ${point(end)}`,
    head: `M${point(tip)} L${wing(Math.PI / 2)} L${wing(-Math.PI / 2)} Z`,
    label: { x: (start.x + 2 * bend.x + end.x) / 4, y: (start.y + 2 * bend.y + end.y) / 4 },
  };
}

/** Where the line from a box's centre towards a point leaves the box, `margin` pixels outside. */
function edge(from: Point, towards: Point, margin = 2): Point {
  const [dx, dy] = [towards.x - from.x, towards.y - from.y];
  const reach = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : (SERVER_WIDTH / 2 + margin) / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : (SERVER_HEIGHT / 2 + margin) / Math.abs(dy),
  );
  const share = Number.isFinite(reach) ? reach : 0;
  return { x: from.x + dx * share, y: from.y + dy * share };
}

function centre({ x, y }: MapServer): Point {
  return { x: x + SERVER_WIDTH / 2, y: y + SERVER_HEIGHT / 2 };
}

function point({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
