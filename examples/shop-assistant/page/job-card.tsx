// A queued question: where it stands, why it waits, and its answer as it grows.

import type { JobProgress } from 'spillway/client';
import { useRetryCountdown } from 'spillway/react';
import { Ring } from './ring.tsx';

type Props = {
  readonly job: JobProgress;
  readonly onCancel: () => Promise<void>;
  readonly onClose: () => void;
};

const STEPS = ['queued', 'running', 'succeeded'] as const;
const LABELS = { queued: 'Queued', running: 'Answering', succeeded: 'Done' };
const TITLES = {
  queued: 'Your question is in the queue',
  delayed: 'Your question waits for its turn',
  running: 'Your answer is being written',
  succeeded: 'Answered',
  failed: 'Your question could not be answered',
  cancelled: 'You cancelled this question',
  expired: 'This question came too late',
};

export function JobCard({ job, onCancel, onClose }: Props) {
  const { status, position, waitingFor, failure, output, connection } = job;
  const { text, secondsLeft } = useRetryCountdown(waitingFor?.retryAt ?? job.estimatedStartAt);
  const current = status === 'delayed' ? 'queued' : status;
  const reached = STEPS.findIndex((step) => step === current);
  const isCounting = reached === 0 && secondsLeft !== undefined && secondsLeft > 0;
  return (
    <div className="notice job" data-status={status} role="group" aria-label="Queued question">
      {isCounting && <Ring until={waitingFor?.retryAt} secondsLeft={secondsLeft} text={text} />}
      <div>
        <p className="sentence">{TITLES[status]}</p>
        {reached >= 0 && (
          <ol className="steps">
            {STEPS.map((step, index) => (
              <li
                key={step}
                className={index <= reached ? 'reached' : ''}
                aria-current={index === reached ? 'step' : undefined}
              >
                {LABELS[step]}
              </li>
            ))}
          </ol>
        )}
        <p className="detail">
          {failure?.message ??
            waitingFor?.message ??
            (position === undefined || reached !== 0 ? '' : `Position ${position}`)}
        </p>
        {output !== '' && <p className="output">{output}</p>}
        {connection === 'reconnecting' && <p className="detail">Reconnecting …</p>}
        <div className="actions">
          {job.isFinal ? (
            <button type="button" onClick={onClose}>
              Close
            </button>
          ) : (
            <button type="button" onClick={() => void onCancel()}>
              Cancel
            </button>
          )}
          {!job.isFinal && (
            <small>You can close or reload this page; your question stays in the queue.</small>
          )}
        </div>
      </div>
    </div>
  );
}
