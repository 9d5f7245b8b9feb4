// Builds uPlot's options for a time series: axes in the theme's colours, bars or lines, thresholds, the live edge. A
// drag reports a range and a click a bucket; the caller zooms, because the URL holds the range. Canvas does not resolve
// CSS variables, so colours are read from the tokens at every drawing: a change of theme only needs a redraw.

import type uPlot from 'uplot';
import { type Tone, toneProperty } from './tone.ts';

export type Threshold = { readonly value: number; readonly label: string; readonly tone: Tone };

export type PlotKind = 'lines' | 'area' | 'bars';

export type PlotStyle = {
  readonly kind: PlotKind;
  /** The distances that grid lines may have; undefined: any round number. */
  readonly steps: readonly number[] | undefined;
  /** Tones in the order of the rows that are drawn. */
  readonly tones: readonly Tone[];
  readonly format: (value: number) => string;
  readonly timeText: (atMs: number) => string;
  readonly paths: typeof uPlot.paths;
};

/** Read at each drawing, so that new data needs no new plot. */
export type PlotView = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly maxValue: number;
  readonly thresholds: readonly Threshold[];
  /** Start of the bucket that is still filling, if the last one is. */
  readonly partialFromMs: number | undefined;
};

export type PlotEvents = {
  readonly moved: (index: number | undefined, leftPx: number, plot: uPlot) => void;
  readonly dragged: (fromMs: number, toMs: number) => void;
};

const MIN_DRAG_PX = 8;
const LABEL_GAP_PX = 14;
const DIGIT_PX = 6.5;
/** Grid lines of counts, which are whole numbers. */
export const COUNT_STEPS: readonly number[] = [
  1, 10, 100, 1000, 10_000, 100_000, 1_000_000,
].flatMap((unit) => [unit, 2 * unit, 5 * unit]);
/** Grid lines of durations in milliseconds, at whole seconds and minutes. */
export const DURATION_STEPS: readonly number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].map((seconds) => seconds * 1000),
];

export function plotOptions(
  host: HTMLElement,
  style: PlotStyle,
  view: () => PlotView,
  events: PlotEvents,
): Omit<uPlot.Options, 'width' | 'height'> {
  const color = (name: string, share = 100) => themeColor(name, share);
  const font = `11px ${getComputedStyle(host).fontFamily}`;
  const axis = {
    stroke: () => color('--text-2'),
    font,
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    ms: 1,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { show: style.kind !== 'bars', size: 7 },
      y: false,
    },
    scales: {
      x: { time: true, range: () => [view().fromMs, view().toMs] },
      y: { range: () => [0, view().maxValue] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 72,
        values: (_, splits) => splits.map(style.timeText),
      },
      {
        ...axis,
        size: labelRoom,
        ...(style.steps ? { incrs: [...style.steps] } : {}),
        space: 36,
        values: (_, splits) => splits.map(style.format),
      },
    ],
    series: [{}, ...style.tones.map((tone) => seriesOptions(style, tone, color))],
    hooks: {
      drawAxes: [(plot) => drawLiveEdge(plot, view(), color)],
      draw: [
        (plot) => drawThresholds(plot, view(), color, font),
        (plot) => drawLiveDots(plot, style, view(), color),
      ],
      setCursor: [
        (plot) => events.moved(plot.cursor.idx ?? undefined, plot.cursor.left ?? -1, plot),
      ],
      setSelect: [(plot) => reportDrag(plot, events)],
    },
  };
}

/** The width of the longest label, so that a narrow chart loses no space to short ones. */
function labelRoom(_: uPlot, labels: readonly string[] | null): number {
  const longest = Math.max(1, ...(labels ?? []).map((label) => label.length));
  return Math.ceil(longest * DIGIT_PX) + LABEL_GAP_PX;
}

type ReadColor = (name: string, share?: number) => string;

function seriesOptions(style: PlotStyle, tone: Tone, color: ReadColor): uPlot.Series {
  const name = toneProperty(tone);
  if (style.kind === 'bars') {
    const paths = style.paths.bars?.({ size: [0.82, 28, 1], align: 1, radius: 0.08 });
    return {
      ...(paths ? { paths } : {}),
      points: { show: false },
      width: 0,
      fill: () => color(name),
      stroke: () => color(name),
    };
  }
  return {
    width: 1.75,
    spanGaps: false,
    stroke: () => color(name),
    ...(style.kind === 'area' ? { fill: () => color(name, 14) } : {}),
    // A sample between two gaps has no line; uPlot marks it with a point.
    points: { show: isolatedPoints, size: 4, fill: () => color(name) },
  };
}

function isolatedPoints(plot: uPlot, seriesIndex: number): boolean {
  const values = plot.data[seriesIndex];
  if (!values) return false;
  const present = (index: number) => (values[index] ?? null) !== null;
  for (let index = 0; index < values.length; index += 1) {
    if (present(index) && !present(index - 1) && !present(index + 1)) return true;
  }
  return false;
}

function drawLiveEdge(plot: uPlot, { partialFromMs, toMs }: PlotView, color: ReadColor): void {
  if (partialFromMs === undefined) return;
  const { ctx, bbox } = plot;
  const left = Math.max(bbox.left, plot.valToPos(Math.min(partialFromMs, toMs), 'x', true));
  const width = Math.max(bbox.left + bbox.width - left, 2);
  ctx.save();
  ctx.fillStyle = color('--accent', 9);
  ctx.fillRect(bbox.left + bbox.width - width, bbox.top, width, bbox.height);
  ctx.restore();
}

/** The value of the bucket that still fills, as a dot at the right edge. */
function drawLiveDots(plot: uPlot, style: PlotStyle, view: PlotView, color: ReadColor): void {
  if (view.partialFromMs === undefined || style.kind === 'bars') return;
  const index = plot.data[0].length - 1;
  const at = plot.data[0][index];
  for (const [line, tone] of style.tones.entries()) {
    const value = plot.data[line + 1]?.[index] ?? null;
    if (value === null || at === undefined) continue;
    const [x, y] = [plot.valToPos(at, 'x', true), plot.valToPos(value, 'y', true)];
    drawDot(plot.ctx, x, y, 6, color(toneProperty(tone), 25));
    drawDot(plot.ctx, x, y, 3, color(toneProperty(tone)));
  }
}

function drawDot(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  fill: string,
) {
  ctx.save();
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.arc(x, y, radius * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}

function drawThresholds(plot: uPlot, view: PlotView, color: ReadColor, font: string): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  for (const { value, label, tone } of view.thresholds) {
    if (value > view.maxValue) continue;
    const y = Math.round(plot.valToPos(value, 'y', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = color(toneProperty(tone));
    ctx.lineWidth = ratio;
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.fillStyle = color('--text-1');
    ctx.font = font.replace('11px', `${11 * ratio}px`);
    ctx.textAlign = 'right';
    const isAbove = y - bbox.top > 16 * ratio;
    ctx.textBaseline = isAbove ? 'bottom' : 'top';
    ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, y + (isAbove ? -2 : 4) * ratio);
    ctx.restore();
  }
}

function reportDrag(plot: uPlot, events: PlotEvents): void {
  const { left, width } = plot.select;
  if (width < MIN_DRAG_PX) return;
  const range = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')] as const;
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  events.dragged(Math.floor(range[0]), Math.ceil(range[1]));
}

/** Each colour is read once per theme: reading a computed style may make the browser compute the page's styles. */
const colors = new Map<string, string>();

/** Called when the theme has changed. */
export function forgetColors(): void {
  colors.clear();
}

/** The colour of a token, which is six hexadecimal digits, with an alpha of `share` percent. */
function themeColor(name: string, share: number): string {
  const key = `${name} ${share}`;
  const known = colors.get(key);
  if (known !== undefined) return known;
  const token = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const alpha = Math.round(share * 2.55);
  const color = share === 100 ? token : `${token}${alpha.toString(16).padStart(2, '0')}`;
  colors.set(key, color);
  return color;
}
