// What happens while no text has arrived: thinking, or waiting for the stated time before the client asks again.

import type { Retry } from 'spillway/client';
import { useRetryCountdown } from 'spillway/react';

export function WaitingLine({ retry }: { readonly retry: Retry | undefined }) {
  const { text } = useRetryCountdown(retry?.at);
  return (
    <p className="message assistant waiting">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {retry ? `${retry.failure.message} Asking again in ${text}.` : 'Thinking …'}
    </p>
  );
}
