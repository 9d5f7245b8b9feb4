// A refused question: the sentence of the server, the time left, and the user's options.

import type { Answer } from 'spillway/client';
import { useSpillwayError } from 'spillway/react';
import { Ring } from './ring.tsx';

type Props = {
  readonly answer: Answer;
  readonly onRetry: () => void;
  readonly onQueue: () => void;
};

export function Refusal({ answer, onRetry, onQueue }: Props) {
  const error = useSpillwayError(answer);
  if (!error) return null;
  const isCounting = error.secondsLeft !== undefined && error.secondsLeft > 0;
  return (
    <div className="notice" role="group" aria-label="The question was not answered">
      {isCounting && (
        <Ring until={error.retryAt} secondsLeft={error.secondsLeft} text={error.text} />
      )}
      <div>
        <p className="sentence">{error.message}</p>
        <div className="actions">
          {(error.canRetry || isCounting) && (
            <button type="button" className="primary" disabled={!error.canRetry} onClick={onRetry}>
              {isCounting ? `Try again in ${error.text}` : 'Try again'}
            </button>
          )}
          {error.canQueue && (
            <button type="button" onClick={onQueue}>
              Queue it for me
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
