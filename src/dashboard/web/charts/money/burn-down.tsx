// A month's budget as a burn-down: the remaining money, falling; the even use as a thin line; the forecast dashed, with the day on
// which it reaches zero.

import type { BurnDown as BurnDownData } from '../../../api/money.ts';
import { ChartFrame, type LegendItem } from '../chart-frame.tsx';
import { dayText, moneyText, nearTimeText } from '../figure-text.ts';
import { useWidth } from '../use-width.ts';
import { type BurnDownPicture, burnDownLayout, burnDownState } from './burn-down-layout.ts';
import '../charts.css';
import './money.css';

export type BurnDownProps = {
  readonly data: BurnDownData | undefined;
  readonly nowMs: number;
  readonly height?: number;
};

export function BurnDown({ data, nowMs, height = 220 }: BurnDownProps) {
  const [host, width] = useWidth<HTMLDivElement>();
  const sentence = data ? burnDownSentence(data, nowMs) : '';
  return (
    <div ref={host} class="burn-down">
      <ChartFrame
        title={
          data && data.monthlyBudgetUsd <= 0 ? 'Spending this month' : 'Budget left this month'
        }
        description={sentence}
        state={data ? 'ready' : 'loading'}
        height={height}
        note={sentence}
        legend={data ? legendOf(data) : []}
        table={() => ({
          columns: ['Day', 'Spent', 'Spent since the begin of the month'],
          rows: (data?.days ?? [])
            .map((day) => [
              dayText(day.at - 1),
              moneyText(day.costUsd),
              moneyText(day.cumulativeUsd),
            ])
            .toReversed(),
        })}
      >
        {data && width > 0 ? (
          <Picture
            picture={burnDownLayout(data, nowMs, width, height)}
            state={burnDownState(data)}
            sentence={sentence}
          />
        ) : null}
      </ChartFrame>
    </div>
  );
}

function burnDownSentence(data: BurnDownData, nowMs: number): string {
  const state = burnDownState(data);
  if (state === 'no-budget') return `${moneyText(data.spentUsd)} spent; no budget is set.`;
  if (state === 'used') return `The budget of ${moneyText(data.monthlyBudgetUsd)} is used up.`;
  const left = `${moneyText(data.remainingUsd)} of ${moneyText(data.monthlyBudgetUsd)} left`;
  if (state === 'lasts') return `${left}; it lasts until the month ends.`;
  return `${left}; at this rate it is used up on ${nearTimeText(data.forecast?.exhaustedAt ?? nowMs, nowMs)}.`;
}

function legendOf(data: BurnDownData): readonly LegendItem[] {
  const isBudget = data.monthlyBudgetUsd > 0;
  return [
    { label: isBudget ? 'Left' : 'Spent', tone: 'accent' },
    ...(isBudget ? [{ label: 'Even use', tone: 'muted' } as const] : []),
    ...(data.forecast
      ? [
          {
            label: 'Forecast',
            tone: data.forecast.exhaustedAt === null ? 'accent' : 'bad',
            figure: `${moneyText(data.forecast.usdPerDay)} a day`,
            dashed: true,
          } as const,
        ]
      : []),
  ];
}

function Picture(props: {
  readonly picture: BurnDownPicture;
  readonly state: ReturnType<typeof burnDownState>;
  readonly sentence: string;
}) {
  const { picture, state } = props;
  const { width, height, crossing, now } = picture;
  const isBad = state === 'crosses' || state === 'used';
  return (
    <svg
      class="money-picture"
      role="img"
      aria-label={props.sentence}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {picture.valueTicks.map(({ y, value }) => (
        <g key={value}>
          <line class="money-grid" x1="52" x2={width - 16} y1={y} y2={y} />
          <text class="money-tick money-tick-value" x="46" y={y}>
            {moneyText(value)}
          </text>
        </g>
      ))}
      {picture.dayTicks.map(({ x, at }) => (
        <text key={at} class="money-tick money-tick-day" x={x} y={height - 8}>
          {dayText(at)}
        </text>
      ))}
      <line class="money-zero" x1="52" x2={width - 16} y1={picture.zeroY} y2={picture.zeroY} />
      {picture.even ? <path class="money-even" d={picture.even} /> : null}
      <path class="money-area" d={picture.area} />
      <path class="money-line" d={picture.line} />
      {picture.forecast ? (
        <path
          class={isBad ? 'money-forecast money-forecast-bad' : 'money-forecast'}
          d={picture.forecast}
        />
      ) : null}
      <circle class="money-now" cx={now.x} cy={now.y} r="4" />
      {crossing ? (
        <g>
          <path
            class="money-cross"
            d={`M${crossing.x - 5} ${crossing.y - 5} l10 10 m0 -10 l-10 10`}
          />
          <text
            class="money-cross-text"
            x={crossing.x + (crossing.x > width - 130 ? -8 : 10)}
            y={crossing.y - 10}
            text-anchor={crossing.x > width - 130 ? 'end' : 'start'}
          >
            used up {dayText(crossing.at)}
          </text>
        </g>
      ) : null}
    </svg>
  );
}
