// A live countdown to the time at which a retry can succeed. A server renders it without a number, because its clock is not
// the reader's.

import { useEffect, useRef, useState } from 'react';
import { countdown, formatCountdown } from '../client/index.ts';

/** The result of `useRetryCountdown`. */
export type RetryCountdown = {
  /** Whole seconds; undefined without a known time, and on a server. */
  readonly secondsLeft: number | undefined;
  /** `1:05`; empty without a known time. */
  readonly text: string;
  /** The time has come, or none is known: a retry may succeed. */
  readonly isReady: boolean;
};

/** `retryAt`: epoch milliseconds, as in `Failure.retryAt`. `onReady` is called once when that time comes. */
export function useRetryCountdown(
  retryAt: number | undefined,
  onReady?: () => void,
): RetryCountdown {
  const [tick, setTick] = useState<Tick>();
  const ready = useRef(onReady);
  useEffect(() => {
    ready.current = onReady;
  });
  useEffect(() => {
    if (retryAt === undefined) return undefined;
    return countdown(retryAt, (remainingMs) => {
      setTick({ retryAt, secondsLeft: Math.ceil(remainingMs / 1000) });
      if (remainingMs === 0) ready.current?.();
    });
  }, [retryAt]);
  // The last tick of another countdown is not shown.
  const secondsLeft = tick && tick.retryAt === retryAt ? tick.secondsLeft : undefined;
  return {
    secondsLeft,
    text: secondsLeft === undefined ? '' : formatCountdown(secondsLeft * 1000),
    isReady: retryAt === undefined || secondsLeft === 0,
  };
}

type Tick = { readonly retryAt: number; readonly secondsLeft: number };
