// A chart over time. The present minute is live at the right edge, gaps stay gaps, thresholds are lines. The pointer or the
// arrow keys show all series at one time; a drag reports a range to zoom to; a click or Enter opens the requests of that
// bucket. While the pointer is on the chart new data waits, so that nothing moves beneath it.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { ChartFrame, type ChartState } from './chart-frame.tsx';
import { drawInTurn } from './draw-in-turn.ts';
import { DAY_MS, dayText, minuteText } from './figure-text.ts';
import { followTheme } from './follow-theme.ts';
import {
  forgetColors,
  type PlotKind,
  type PlotView,
  plotOptions,
  type Threshold,
} from './plot-options.ts';
import { hiddenThresholds, plotRows, plotView } from './plot-view.ts';
import {
  bucketMs,
  bucketText,
  hasValues,
  pointText,
  type SeriesData,
  summaryText,
} from './series-data.ts';
import { legendItem, seriesTable } from './series-legend.ts';
import { type Cursor, Tip } from './series-tip.tsx';
import './charts.css';

export type TimeSeriesProps = {
  readonly title: string;
  /** Undefined while the first data loads. */
  readonly data: SeriesData | undefined;
  readonly format: (value: number) => string;
  /** `bars` are stacked; `lines` and `area` are not. */
  readonly kind?: PlotKind;
  /** The distances that grid lines may have, such as COUNT_STEPS. */
  readonly steps?: readonly number[];
  readonly thresholds?: readonly Threshold[];
  /** Start of the bucket that is still filling. */
  readonly partialFromMs?: number | undefined;
  readonly height?: number;
  readonly emptyText?: string;
  readonly onZoom?: (fromMs: number, toMs: number) => void;
  readonly onOpen?: (fromMs: number, toMs: number) => void;
  /** Shown beneath the figures of a bucket, where a click opens something. */
  readonly openHint?: string;
};

const OPEN_HINT = 'Click: requests of this interval';
const NO_THRESHOLDS: readonly Threshold[] = [];

export function TimeSeries(props: TimeSeriesProps) {
  const { title, data, format, height = 180, thresholds = NO_THRESHOLDS } = props;
  const state: ChartState = data === undefined ? 'loading' : hasValues(data) ? 'ready' : 'empty';
  const hidden = data ? hiddenThresholds({ data, kind: props.kind, thresholds }) : [];
  return (
    <ChartFrame
      title={title}
      description={data ? summaryText(data, format) : ''}
      state={state}
      height={height}
      emptyText={props.emptyText ?? 'No samples in this range.'}
      note={[
        ...hidden.map(({ label }) => `${label}: above this chart`),
        data ? bucketText(bucketMs(data)) : '',
      ].join(' · ')}
      legend={(data?.lines ?? []).map((line) => legendItem(line, format, props.kind))}
      table={() => seriesTable(data, format)}
    >
      {data ? <Plot {...props} data={data} height={height} thresholds={thresholds} /> : null}
    </ChartFrame>
  );
}

type PlotProps = TimeSeriesProps & {
  readonly data: SeriesData;
  readonly height: number;
  readonly thresholds: readonly Threshold[];
};

function Plot(props: PlotProps) {
  const { data, format, kind = 'area', height } = props;
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const redraw = useRef<() => void>(undefined);
  const latest = useRef(props);
  const isPointed = useRef(false);
  const [cursor, setCursor] = useState<Cursor>();
  const shape = `${kind} ${data.lines.map(({ label, tone }) => `${label}/${tone}`).join(' ')}`;
  if (!isPointed.current) latest.current = props;
  const shown = latest.current.data;

  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = makePlot(element, latest, setCursor);
    plot.current = made;
    const watch = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0 && width !== made.width) made.setSize({ width, height });
    });
    watch.observe(element);
    const unfollow = followTheme(() => {
      forgetColors();
      made.redraw(false);
    });
    const turn = drawInTurn(element, () => made.setData(plotRows(latest.current)));
    redraw.current = turn.ask;
    return () => {
      turn.end();
      redraw.current = undefined;
      unfollow();
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, height]);

  useEffect(() => {
    if (!isPointed.current) redraw.current?.();
  }, [data, props.thresholds]);

  const open = (index: number | undefined) => openBucket(latest.current, index);
  const release = () => {
    isPointed.current = false;
    setCursor(undefined);
    latest.current = props;
    plot.current?.setData(plotRows(props));
  };
  const step = (by: number) => {
    const last = shown.times.length - 1;
    const index = Math.min(last, Math.max(0, (cursor?.index ?? last) + by));
    const leftPx = plot.current?.valToPos(shown.times[index] ?? 0, 'x') ?? 0;
    plot.current?.setCursor({ left: leftPx, top: 0 }, false);
    setCursor({ index, leftPx, originPx: originOf(plot.current) });
  };
  const index = cursor?.index ?? shown.times.length - 1;
  return (
    <div
      class="chart-plot"
      ref={host}
      role="slider"
      tabIndex={0}
      aria-label={`${props.title}, by time`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, shown.times.length - 1)}
      aria-valuenow={Math.max(0, index)}
      aria-valuetext={pointText(shown, index, format)}
      onPointerEnter={() => {
        isPointed.current = true;
      }}
      onPointerLeave={release}
      onBlur={() => setCursor(undefined)}
      onClick={() => open(plot.current?.cursor.idx ?? undefined)}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'ArrowLeft') step(-1);
        else if (event.key === 'ArrowRight') step(1);
        else if (event.key === 'Enter') open(cursor?.index);
        else if (event.key === 'Escape') setCursor(undefined);
        else return;
        event.preventDefault();
      }}
    >
      {cursor ? (
        <Tip
          data={shown}
          cursor={cursor}
          format={format}
          hint={props.onOpen && (props.openHint ?? OPEN_HINT)}
        />
      ) : null}
    </div>
  );
}

function makePlot(
  element: HTMLElement,
  latest: { readonly current: PlotProps },
  setCursor: (cursor: Cursor | undefined) => void,
): uPlot {
  const { kind = 'area', height, format, data } = latest.current;
  const tones = data.lines.map(({ tone }) => tone);
  // uPlot asks several times in one drawing.
  let seen: { readonly of: PlotProps; readonly view: PlotView } | undefined;
  const viewOf = (): PlotView => {
    const of = latest.current;
    if (seen?.of !== of) seen = { of, view: plotView(of) };
    return seen.view;
  };
  const options = plotOptions(
    element,
    {
      kind,
      steps: latest.current.steps,
      tones: kind === 'bars' ? tones.toReversed() : tones,
      format,
      timeText: (at) => axisTime(latest.current.data, at),
      paths: uPlot.paths,
    },
    viewOf,
    {
      moved: (index, leftPx, plot) =>
        setCursor(
          index === undefined || leftPx < 0
            ? undefined
            : { index, leftPx, originPx: originOf(plot) },
        ),
      dragged: (fromMs, toMs) => latest.current.onZoom?.(fromMs, toMs),
    },
  );
  const width = Math.max(1, element.clientWidth);
  return new uPlot({ ...options, width, height }, plotRows(latest.current), element);
}

function originOf(plot: uPlot | undefined): number {
  return (plot?.bbox.left ?? 0) / devicePixelRatio;
}

function openBucket({ data, onOpen }: PlotProps, index: number | undefined): void {
  const at = index === undefined ? undefined : data.times[index];
  if (at !== undefined) onOpen?.(at, at + bucketMs(data));
}

function axisTime({ times }: SeriesData, at: number): string {
  const extent = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return extent > 2 * DAY_MS ? dayText(at) : minuteText(at);
}
