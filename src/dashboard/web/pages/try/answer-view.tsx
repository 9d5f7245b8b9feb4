// The answer to the caller: status, headers and body, as text.

import type { TryAnswer } from '../../../api/try-it.ts';
import { linkTo } from '../../app/router.ts';
import { durationText } from '../../charts/figure-text.ts';
import { CopyText } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Badge } from '../../ui/status.tsx';
import { prettyBody, statusState, statusText } from './try-words.ts';

export function AnswerView(props: {
  readonly answer: TryAnswer | undefined;
  readonly isBusy: boolean;
}) {
  const { answer, isBusy } = props;
  if (!answer)
    return isBusy ? (
      <div aria-busy="true">
        <Skeleton width="100%" height={240} />
      </div>
    ) : (
      <Empty title="No request yet" icon="try">
        Press Send, or choose a scenario. The request goes the way of every other request: limits,
        budget, retries and fallbacks apply.
      </Empty>
    );
  const body = prettyBody(answer);
  return (
    <div
      class={isBusy ? 'try-answer try-busy' : 'try-answer'}
      aria-busy={isBusy}
      aria-live="polite"
    >
      <p class="try-status">
        <Badge state={statusState(answer.status)}>{statusText(answer.status)}</Badge>
        {answer.code === null ? null : <code>{answer.code}</code>}
        <span class="try-duration">
          {durationText(answer.durationMs)}
          {answer.firstByteMs === null
            ? ''
            : `, first byte after ${durationText(answer.firstByteMs)}`}
        </span>
      </p>
      <dl class="try-headers">
        {Object.entries(answer.headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="try-body">
        <CopyText text={body} label="Copy the body" />
        <pre tabIndex={0} aria-label="Body of the answer">
          {body}
        </pre>
      </div>
      <a href={linkTo('logs', { tab: 'requests', request: answer.requestId })}>
        Open the timeline of this request
      </a>
    </div>
  );
}
