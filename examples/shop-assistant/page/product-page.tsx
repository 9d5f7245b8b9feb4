// The events of a product page in the making, with the failure that stops it.

import { useState } from 'react';
import { type BuildEvent, buildUrl, send } from 'spillway/client';
import { useBuildEvents, useSpillwayError } from 'spillway/react';

const KEY = 'shop-build';

export function ProductPage() {
  const [buildId, setBuildId] = useState(() => sessionStorage.getItem(KEY) ?? undefined);
  const { events, isFinished, failure } = useBuildEvents(
    buildId === undefined ? undefined : buildUrl(buildId, '/api'),
  );
  const progress = events.findLast((event) => event.overallProgress !== null)?.overallProgress ?? 0;
  const isRunning = buildId !== undefined && !isFinished && !failure;

  async function start(): Promise<void> {
    const answer = await send<{ buildId: string }>('/product-pages', {}, { base: '/api' });
    if (answer.kind !== 'answer') return;
    sessionStorage.setItem(KEY, answer.data.buildId);
    setBuildId(answer.data.buildId);
  }

  return (
    <section className="card" aria-labelledby="build-title">
      <h2 id="build-title">Product page</h2>
      <p className="lead">Let the assistant write the page of the tent “Ravn”.</p>
      <button type="button" className="primary" disabled={isRunning} onClick={() => void start()}>
        {isRunning ? 'Writing …' : 'Write the page'}
      </button>
      {buildId !== undefined && (
        <>
          <progress max={100} value={progress} aria-label="Progress of the page">
            {progress} %
          </progress>
          <ol className="events" aria-live="polite">
            {events.map((event, index) => (
              <EventLine key={event.id} event={event} isOver={index < events.length - 1} />
            ))}
          </ol>
        </>
      )}
      {failure && <p className="note">{failure.message}</p>}
    </section>
  );
}

function EventLine({ event, isOver }: { readonly event: BuildEvent; readonly isOver: boolean }) {
  const error = useSpillwayError(event);
  const kind = error ? 'failed' : event.finished || isOver ? 'done' : 'step';
  return (
    <li className={kind}>
      <span>
        {event.title}
        {error && <span className="detail">{error.message}</span>}
        {error && error.text !== '' && error.secondsLeft !== 0 && (
          <span className="detail">Free again in {error.text}.</span>
        )}
      </span>
      <time dateTime={new Date(event.createdAt).toISOString()}>
        {new Date(event.createdAt).toLocaleTimeString([], { timeStyle: 'medium' })}
      </time>
    </li>
  );
}
