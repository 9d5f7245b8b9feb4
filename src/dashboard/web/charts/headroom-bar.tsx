// Headroom as a bar: the filled part is the share of a limit that is left, the dashed line the share that the forecast
// leaves. The bar is a meter for screen readers.

import { countText, percentText } from './figure-text.ts';
import { clampFraction } from './scale.ts';
import { type State, toneColor } from './tone.ts';
import './charts.css';

export type HeadroomBarProps = {
  /** What has a limit: "tokens per minute". */
  readonly label: string;
  /** Undefined: the provider has reported no figure yet. */
  readonly remaining: number | undefined;
  /** 1: `remaining` is a share. */
  readonly limit: number | undefined;
  /** The forecast of `remaining` at the end of the window; below zero means that the limit will be reached. */
  readonly forecast?: number | undefined;
  readonly unit?: string;
  readonly format?: (value: number) => string;
};

const DEGRADED_BELOW = 0.25;
const BAD_BELOW = 0.08;

export function HeadroomBar(props: HeadroomBarProps) {
  const { label, remaining, limit, forecast, unit = '', format = countText } = props;
  if (remaining === undefined || limit === undefined || limit <= 0) {
    return (
      <div class="headroom headroom-unknown">
        <HeadroomHead label={label} figure="not reported yet" />
        <div class="headroom-track" />
      </div>
    );
  }
  const left = clampFraction(remaining / limit);
  const whole = limit === 1 ? '' : ` of ${format(limit)}${unit ? ` ${unit}` : ''}`;
  const figure = `${format(Math.max(0, remaining))}${whole} left`;
  const expected = forecast === undefined ? undefined : forecast / limit;
  return (
    <div class="headroom">
      <HeadroomHead label={label} figure={figure} />
      <div
        class="headroom-track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(left * 100)}
        aria-valuetext={`${percentText(left)} left, ${figure}${forecastText(expected)}`}
      >
        <div
          class="headroom-fill"
          style={{ width: `${left * 100}%`, background: toneColor(headroomState(left)) }}
        />
        {expected === undefined ? null : (
          <div
            class={expected <= 0 ? 'headroom-forecast headroom-forecast-bad' : 'headroom-forecast'}
            style={{ left: `${clampFraction(expected) * 100}%` }}
            title={`Forecast: ${expected <= 0 ? 'the limit will be reached' : `${percentText(expected)} left`}`}
          />
        )}
      </div>
    </div>
  );
}

function headroomState(fraction: number): State {
  if (fraction < BAD_BELOW) return 'bad';
  return fraction < DEGRADED_BELOW ? 'degraded' : 'good';
}

function HeadroomHead({ label, figure }: { readonly label: string; readonly figure: string }) {
  return (
    <div class="headroom-head">
      <span>{label}</span>
      <span class="figure">{figure}</span>
    </div>
  );
}

function forecastText(expected: number | undefined): string {
  if (expected === undefined) return '';
  return expected <= 0
    ? '; the forecast reaches the limit'
    : `; forecast ${percentText(expected)} left`;
}
