// The layout of the jobs' flow picture: in → waiting → delayed → running → out. Jobs that are not delayed pass beside the
// delayed stage; failed ones leave beside the results. Widths follow the rates. Wide pictures run from left to right, narrow
// ones from top to bottom. Pure geometry; `flow.tsx` draws it.

import type { JobFlow } from '../../../api/jobs.ts';
import { countText, durationText, rateText } from '../figure-text.ts';
import { clampFraction } from '../scale.ts';
import type { Tone } from '../tone.ts';

export type FlowNode = {
  readonly id: FlowStage;
  readonly label: string;
  readonly figure: string;
  /** Second line under the figure. */
  readonly unit: string;
  readonly tone: Tone;
  /** Share of all unfinished jobs, 0 to 1: fills the box, so that jobs that pile up are visible. */
  readonly share: number;
  readonly x: number;
  readonly y: number;
};

export type FlowLink = {
  readonly id: string;
  readonly path: string;
  readonly widthPx: number;
  readonly tone: Tone;
  readonly isEmpty: boolean;
  /** "42 per minute from in to waiting". */
  readonly label: string;
};

export type FlowStage = 'in' | 'waiting' | 'delayed' | 'running' | 'out' | 'failed';

export type FlowPicture = {
  readonly width: number;
  readonly height: number;
  readonly boxWidth: number;
  readonly boxHeight: number;
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
};

const MIN_HORIZONTAL_PX = 620;
const BOX_HEIGHT = 64;
const MAX_LINK_PX = 38;
const MIN_LINK_PX = 3;

/** Position of each stage: the step along the flow and the lane (0: main, 1: beside it). */
const PLACES: Readonly<Record<FlowStage, readonly [step: number, lane: number]>> = {
  in: [0, 0],
  waiting: [1, 0],
  delayed: [2, 1],
  running: [3, 0],
  out: [4, 0],
  failed: [4, 1],
};

const LINKS: readonly (readonly [FlowStage, FlowStage, Tone])[] = [
  ['in', 'waiting', 'accent'],
  ['waiting', 'running', 'accent'],
  ['waiting', 'delayed', 'degraded'],
  ['delayed', 'running', 'degraded'],
  ['running', 'out', 'accent'],
  ['running', 'failed', 'bad'],
];

export function flowLayout(flow: JobFlow, width: number): FlowPicture {
  const isHorizontal = width >= MIN_HORIZONTAL_PX;
  const boxWidth = isHorizontal
    ? Math.min(136, Math.floor(width / 6.2))
    : Math.min(150, width / 2 - 12);
  const step = isHorizontal ? (width - boxWidth) / 4 : BOX_HEIGHT + 32;
  const lane = isHorizontal ? BOX_HEIGHT + 40 : width - boxWidth;
  const place = (stage: FlowStage) => {
    const [along, beside] = PLACES[stage];
    return isHorizontal
      ? { x: along * step, y: beside * lane }
      : { x: beside * lane, y: along * step };
  };
  const rates = linkRates(flow);
  const largest = Math.max(...Object.values(rates));
  return {
    width,
    height: isHorizontal ? lane + BOX_HEIGHT : 4 * step + BOX_HEIGHT,
    boxWidth,
    boxHeight: BOX_HEIGHT,
    nodes: stages(flow).map((stage) => ({ ...stage, ...place(stage.id) })),
    links: LINKS.map(([from, to, tone]) => {
      const rate = rates[`${from} ${to}`] ?? 0;
      const size = { boxWidth, boxHeight: BOX_HEIGHT, isHorizontal };
      return {
        id: `${from}-${to}`,
        path: linkPath(place(from), place(to), size),
        widthPx: linkWidth(rate, largest),
        tone,
        isEmpty: rate <= 0,
        label: `${rateText(rate)} per minute from ${from} to ${to}`,
      };
    }),
  };
}

/** The flow in one sentence; names a stall or a pile-up first. */
export function flowSentence(flow: JobFlow): string {
  const ended = flow.outPerMinute + flow.failedPerMinute;
  if (flow.waiting > 0 && flow.running === 0 && ended === 0) {
    return `Stalled: ${countText(flow.waiting)} jobs wait, none runs and none has ended in the last five minutes.`;
  }
  if (flow.inPerMinute > 2 * ended && flow.waiting > 20) {
    return `Filling up: ${rateText(flow.inPerMinute)} jobs per minute arrive, ${rateText(ended)} end.`;
  }
  if (flow.failedPerMinute > flow.outPerMinute) return 'More jobs fail than succeed.';
  if (flow.delayed > flow.waiting + flow.running && flow.delayed > 0) {
    return `${countText(flow.delayed)} jobs wait for their due time.`;
  }
  if (flow.waiting + flow.delayed + flow.running + ended + flow.inPerMinute === 0) {
    return 'No jobs at the moment.';
  }
  const gain = ended - flow.inPerMinute;
  if (flow.waiting > 20 && gain > 0.2 * flow.inPerMinute) {
    return `Catching up: ${countText(flow.waiting)} jobs wait, at this rate for ${durationText((flow.waiting / gain) * 60_000)} more.`;
  }
  return `Steady: ${rateText(flow.inPerMinute)} jobs per minute arrive, ${rateText(ended)} end.`;
}

function linkRates(flow: JobFlow): Readonly<Record<string, number>> {
  const started = flow.outPerMinute + flow.failedPerMinute;
  const delayed = Math.min(flow.delayedPerMinute, started);
  return {
    'in waiting': flow.inPerMinute,
    'waiting delayed': flow.delayedPerMinute,
    'delayed running': delayed,
    'waiting running': Math.max(0, started - delayed),
    'running out': flow.outPerMinute,
    'running failed': flow.failedPerMinute,
  };
}

function stages(flow: JobFlow): readonly Omit<FlowNode, 'x' | 'y'>[] {
  const unfinished = Math.max(1, flow.waiting + flow.delayed + flow.running);
  const count = (id: FlowStage, label: string, value: number, tone: Tone) => ({
    id,
    label,
    figure: countText(value),
    unit: value === 1 ? 'job' : 'jobs',
    tone,
    share: clampFraction(value / unfinished),
  });
  const rate = (id: FlowStage, label: string, value: number, tone: Tone) => ({
    id,
    label,
    figure: rateText(value),
    unit: 'per minute',
    tone,
    share: 0,
  });
  return [
    rate('in', 'In', flow.inPerMinute, 'accent'),
    count('waiting', 'Waiting', flow.waiting, 'accent'),
    count('delayed', 'Delayed', flow.delayed, 'degraded'),
    count('running', 'Running', flow.running, 'accent'),
    rate('out', 'Out', flow.outPerMinute, 'accent'),
    rate('failed', 'Failed', flow.failedPerMinute, 'bad'),
  ];
}

function linkWidth(rate: number, largest: number): number {
  if (rate <= 0) return 1.5;
  return Math.max(MIN_LINK_PX, Math.round((rate / largest) * MAX_LINK_PX));
}

type Point = { readonly x: number; readonly y: number };
type BoxSize = {
  readonly boxWidth: number;
  readonly boxHeight: number;
  readonly isHorizontal: boolean;
};

function linkPath(from: Point, to: Point, { boxWidth, boxHeight, isHorizontal }: BoxSize): string {
  if (isHorizontal) {
    const [x1, y1, x2, y2] = [
      from.x + boxWidth,
      from.y + boxHeight / 2,
      to.x,
      to.y + boxHeight / 2,
    ];
    const middle = (x1 + x2) / 2;
    return `M${x1} ${y1} C${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + boxWidth / 2, from.y + boxHeight, to.x + boxWidth / 2, to.y];
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1} C${x1} ${middle}, ${x2} ${middle}, ${x2} ${y2}`;
}
