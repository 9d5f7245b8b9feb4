// Spending by model and day as stacked bars. The pointer shows a segment's figure; the table has all of them.

import type { SpendByModel } from '../../../api/money.ts';
import { ChartFrame } from '../chart-frame.tsx';
import { dayText, moneyText } from '../figure-text.ts';
import { seriesTone, toneColor } from '../tone.ts';
import { useWidth } from '../use-width.ts';
import { dayTotals, spendLayout } from './spend-layout.ts';
import '../charts.css';
import './money.css';

export type SpendBarsProps = {
  readonly data: SpendByModel | undefined;
  readonly height?: number;
  readonly emptyText?: string;
};

export function SpendBars({ data, height = 220, emptyText }: SpendBarsProps) {
  const [host, width] = useWidth<HTMLDivElement>();
  const state = data === undefined ? 'loading' : data.totalUsd > 0 ? 'ready' : 'empty';
  const description = data ? spendSentence(data) : '';
  return (
    <div ref={host} class="spend-bars">
      <ChartFrame
        title="Spending by model and day"
        description={description}
        state={state}
        height={height}
        emptyText={emptyText ?? 'No spending in these days.'}
        note={
          data && data.totalUsd > 0 ? `${moneyText(data.totalUsd)} in ${data.days.length} days` : ''
        }
        legend={(data?.models ?? []).map(({ model, totalUsd }, index) => ({
          label: model,
          tone: seriesTone(index),
          figure: moneyText(totalUsd),
        }))}
        table={() => ({
          columns: ['Day (UTC)', 'All models', ...(data?.models ?? []).map(({ model }) => model)],
          rows: data ? tableRows(data) : [],
        })}
      >
        {data && width > 0 ? (
          <Bars data={data} width={width} height={height} label={description} />
        ) : null}
      </ChartFrame>
    </div>
  );
}

function Bars(props: {
  readonly data: SpendByModel;
  readonly width: number;
  readonly height: number;
  readonly label: string;
}) {
  const { width, height } = props;
  const { segments, valueTicks, dayTicks } = spendLayout(props.data, width, height);
  return (
    <svg
      class="money-picture"
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {valueTicks.map(({ y, value }) => (
        <g key={value}>
          <line class="money-grid" x1="52" x2={width - 20} y1={y} y2={y} />
          <text class="money-tick money-tick-value" x="46" y={y}>
            {moneyText(value)}
          </text>
        </g>
      ))}
      {dayTicks.map(({ x, at }) => (
        <text key={at} class="money-tick money-tick-bar" x={x} y={height - 8}>
          {utcDay(at)}
        </text>
      ))}
      {segments.map((segment) => (
        <rect
          key={segment.key}
          class="money-segment"
          x={segment.x}
          y={segment.y}
          width={segment.width}
          height={segment.height}
          rx={Math.min(2, segment.height / 2)}
          fill={toneColor(segment.tone)}
        >
          <title>{`${utcDay(segment.day)}, ${segment.model}: ${moneyText(segment.usd)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function spendSentence(data: SpendByModel): string {
  const [first] = data.models;
  const most = first ? `; most for ${first.model}, ${moneyText(first.totalUsd)}` : '';
  return `${moneyText(data.totalUsd)} in ${data.days.length} days${most}.`;
}

function tableRows(data: SpendByModel): readonly (readonly string[])[] {
  const totals = dayTotals(data);
  return data.days
    .map((day, index) => [
      utcDay(day),
      moneyText(totals[index] ?? 0),
      ...data.models.map(({ costUsd }) => moneyText(costUsd[index] ?? 0)),
    ])
    .toReversed();
}

function utcDay(at: number): string {
  return dayText(at, 'UTC');
}
