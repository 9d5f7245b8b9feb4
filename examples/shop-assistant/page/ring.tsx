// A ring that empties towards a time. Screen readers get the text beside it instead.

import { useState } from 'react';

type Props = {
  readonly until: number | undefined;
  readonly secondsLeft: number | undefined;
  readonly text: string;
};

const RADIUS = 20;
const LENGTH = 2 * Math.PI * RADIUS;

export function Ring({ secondsLeft = 0, text }: Props) {
  const [whole] = useState(secondsLeft);
  const part = whole === 0 ? 0 : Math.min(1, secondsLeft / whole);
  return (
    <svg className="ring" viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r={RADIUS} className="track" />
      <circle
        cx="24"
        cy="24"
        r={RADIUS}
        className="rest"
        strokeDasharray={LENGTH}
        strokeDashoffset={LENGTH * (1 - part)}
      />
      <text x="24" y="24">
        {text}
      </text>
    </svg>
  );
}
