// The steps of the gateway, in order, with the time of each.

import type { TryAnswer } from '../../../api/try-it.ts';
import { clockText, durationText } from '../../charts/figure-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { STATE_WORDS, StatusShape } from '../../ui/status.tsx';

export function StepsView(props: {
  readonly answer: TryAnswer | undefined;
  readonly isBusy: boolean;
}) {
  const { answer, isBusy } = props;
  if (!answer)
    return isBusy ? (
      <Skeleton width="50%" height={80} />
    ) : (
      <p class="try-note">
        The steps of the request appear here: admission, attempts, waits, the end.
      </p>
    );
  return (
    <ol class={isBusy ? 'steps try-busy' : 'steps'}>
      {answer.steps.map((step, index) => (
        <li key={`${index} ${step.text}`} class={`step state-${step.status}`}>
          <span class="step-time figures">{durationText(step.atMs)}</span>
          <StatusShape state={step.status} />
          <span>
            <span class="visually-hidden">{STATE_WORDS[step.status]}: </span>
            {withLocalTimes(step.text)}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The server states times in UTC; the page shows all times in the viewer's zone. */
function withLocalTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => clockText(Date.parse(time)));
}
