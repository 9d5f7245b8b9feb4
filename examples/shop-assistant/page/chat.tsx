// The chat: an answer as it is streamed; a refusal with its sentence, its countdown and its actions; a queued question
// as a job that outlives a reload.

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Answer, type Retry, send } from 'spillway/client';
import { useJob } from 'spillway/react';
import { type Message, useConversation } from './conversation.ts';
import { JobCard } from './job-card.tsx';
import { Refusal } from './refusal.tsx';
import { WaitingLine } from './waiting-line.tsx';

const GREETING = 'Hello! Ask me about tents, boots or the weather they are made for.';
const SUGGESTIONS = ['Which tent survives a storm?', 'Boots for wet granite?'];

type Failed = Extract<Answer, { kind: 'failed' }>;

export function Chat() {
  const { messages, untilQuestion, add, extend, repeat } = useConversation();
  const [failed, setFailed] = useState<Failed>();
  const [retry, setRetry] = useState<Retry>();
  const [isBusy, setIsBusy] = useState(false);
  const { job, failure, follow, cancel } = useJob(undefined, { storageKey: 'shop-job' });
  const end = useRef<HTMLDivElement>(null);

  // The answer of a queued question becomes a message.
  useEffect(() => {
    if (job?.status !== 'succeeded') return;
    add({ role: 'assistant', content: job.output });
    follow(undefined);
  }, [job?.status, job?.output, add, follow]);

  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [messages, failed, job]);

  async function ask(conversation: readonly Message[], queue = false): Promise<void> {
    setIsBusy(true);
    setFailed(undefined);
    const answer = await send(
      '/chat',
      { messages: conversation },
      { base: '/api', queue, maxWaitMs: 20_000, onRetry: setRetry },
    );
    setRetry(undefined);
    if (answer.kind === 'failed') setFailed(answer);
    else if (answer.kind === 'queued') follow(answer.job.url);
    else if (answer.kind === 'stream') await show(answer.events);
    setIsBusy(false);
  }

  async function show(events: Extract<Answer, { kind: 'stream' }>['events']): Promise<void> {
    add({ role: 'assistant', content: '' });
    for await (const { data, failure: broken } of events) {
      if (broken) setFailed({ kind: 'failed', failure: broken });
      else extend(textOf(data));
    }
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    const text = new FormData(form).get('question');
    if (typeof text !== 'string' || text.trim() === '' || isBusy) return;
    form.reset();
    question(text.trim());
  }

  function again(queue = false): void {
    repeat();
    void ask(untilQuestion, queue);
  }

  function question(text: string): void {
    const message: Message = { role: 'user', content: text };
    add(message);
    void ask([...messages, message]);
  }

  const isWaiting = isBusy && messages.at(-1)?.role === 'user';
  return (
    <section className="card chat" aria-labelledby="chat-title">
      <h1 id="chat-title">Ask the shop</h1>
      <div className="log" role="log" aria-live="polite" tabIndex={0} aria-label="Conversation">
        <p className="message assistant">{GREETING}</p>
        {messages.map(({ role, content }, index) => (
          <p className={`message ${role}`} key={`${role}-${index}`}>
            <span className="hidden">{role === 'user' ? 'You: ' : 'Shop: '}</span>
            {content}
          </p>
        ))}
        {isWaiting && <WaitingLine retry={retry} />}
        {failed && <Refusal answer={failed} onRetry={() => again()} onQueue={() => again(true)} />}
        {job && !(job.status === 'succeeded') && (
          <JobCard job={job} onCancel={cancel} onClose={() => follow(undefined)} />
        )}
        {failure && <p className="note">{failure.message}</p>}
        <div ref={end} />
      </div>
      {messages.length === 0 && (
        <div className="suggestions">
          {SUGGESTIONS.map((text) => (
            <button type="button" key={text} onClick={() => question(text)}>
              {text}
            </button>
          ))}
        </div>
      )}
      <form onSubmit={submit}>
        <label className="hidden" htmlFor="question">
          Your question
        </label>
        <input
          id="question"
          name="question"
          placeholder="Your question"
          autoComplete="off"
          maxLength={2000}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          Send
        </button>
      </form>
    </section>
  );
}

/** The text of a streamed event of the Messages format. */
function textOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('delta' in data)) return '';
  const { delta } = data;
  if (typeof delta !== 'object' || delta === null || !('text' in delta)) return '';
  return String(delta.text);
}
