// Dead letters, oldest first: the reason, retry one or all, and purge, which asks once.

import { useState } from 'preact/hooks';
import type { DeadLetter } from '../../../api/jobs.ts';
import { failureText, sendJson } from '../../app/api-client.ts';
import { route, setParams } from '../../app/router.ts';
import { withQuery } from '../../data/query.ts';
import { usePages } from '../../data/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { Column } from '../../ui/table.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { PagedList } from '../paged-list.tsx';
import { SearchField } from '../search-field.tsx';

type Question = { readonly kind: 'all' } | { readonly kind: 'purge'; readonly letter: DeadLetter };

const REFRESH_MS = 5000;
const FILTERS = ['reason'] as const;

export function DeadLetters(props: { readonly count: number; readonly onChange: () => void }) {
  const { reason = '', job } = route.value.params;
  const [question, setQuestion] = useState<Question>();
  const pages = usePages<DeadLetter>(
    withQuery('/admin/dlq', { q: reason, fields: 'summary', limit: 100 }),
    keyOf,
    {
      refreshMs: REFRESH_MS,
      revision: props.count,
    },
  );
  const changed = (text: string): void => {
    notify(text);
    pages.reload();
    props.onChange();
  };
  const retry = async ({ id }: DeadLetter): Promise<void> => {
    try {
      await sendJson('POST', `/admin/dlq/${encodeURIComponent(id)}/retry`);
      changed('The job is queued again.');
    } catch (error) {
      notifyFailure(failureText(error));
    }
  };
  return (
    <>
      <PagedList
        label="Dead letters"
        pages={pages}
        keyOf={keyOf}
        columns={columns(retry, (letter) => setQuestion({ kind: 'purge', letter }))}
        filterNames={FILTERS}
        side={
          pages.rows && pages.rows.length > 0 ? (
            <Button icon="refresh" onPress={() => setQuestion({ kind: 'all' })}>
              Retry all
            </Button>
          ) : null
        }
        filters={
          <SearchField
            label="Reason, queue or organisation"
            value={reason}
            onChange={(value) => setParams({ reason: value }, true)}
          />
        }
        onOpen={({ jobId }) => jobId && setParams({ job: jobId })}
        selectedKey={pages.rows?.find(({ jobId }) => jobId === job)?.id}
        empty={
          reason === '' ? (
            <Empty title="No dead letters" icon="check">
              A job that fails for good, or a message that cannot be read, comes here with its
              reason.
            </Empty>
          ) : (
            <Empty title="No dead letter matches" icon="filter" />
          )
        }
      />
      {question ? (
        <Ask
          question={question}
          count={props.count}
          onClose={() => setQuestion(undefined)}
          onDone={changed}
        />
      ) : null}
    </>
  );
}

function Ask(props: {
  readonly question: Question;
  readonly count: number;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}) {
  const { question, onClose, onDone } = props;
  if (question.kind === 'all') {
    return (
      <Confirm
        title="Retry all dead letters?"
        action="Retry all"
        onClose={onClose}
        onConfirm={async () => {
          const { retried } = await sendJson<{ readonly retried: number }>(
            'POST',
            '/admin/dlq/retry-all',
          );
          onDone(`${retried} jobs are queued again.`);
        }}
      >
        {props.count} dead letters become jobs again and wait in their queues. Each retry calls a
        provider and costs money.
      </Confirm>
    );
  }
  const { letter } = question;
  return (
    <Confirm
      title="Purge this dead letter?"
      action="Purge"
      isDanger
      onClose={onClose}
      onConfirm={async () => {
        await sendJson('DELETE', `/admin/dlq/${encodeURIComponent(letter.id)}`);
        onDone('The dead letter is purged.');
      }}
    >
      The message of {letter.jobId ?? letter.id} is deleted and cannot be retried. Its job stays
      failed.
    </Confirm>
  );
}

function columns(
  retry: (letter: DeadLetter) => Promise<void>,
  purge: (letter: DeadLetter) => void,
): readonly Column<DeadLetter>[] {
  return [
    {
      id: 'reason',
      title: 'Reason',
      value: ({ errorCode }) => errorCode,
      render: ({ errorCode, errorMessage, createdAt }) => (
        <span class="two-lines">
          <span class="mono">{errorCode}</span>
          <span class="soft cut-line">{errorMessage}</span>
          <span class="soft narrow-only">
            <RelativeTime at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'queue',
      title: 'Queue',
      isWideOnly: true,
      value: ({ queue }) => queue,
      render: ({ queue }) => <span class="mono cut">{queue}</span>,
    },
    {
      id: 'org',
      title: 'Organisation',
      isWideOnly: true,
      value: ({ organizationId }) => organizationId ?? null,
      render: ({ organizationId }) => <span class="cut">{organizationId ?? '–'}</span>,
    },
    {
      id: 'attempts',
      title: 'Attempts',
      align: 'right',
      isWideOnly: true,
      value: ({ attempts }) => attempts,
      render: ({ attempts }) => attempts,
    },
    {
      id: 'created',
      title: 'Since',
      isWideOnly: true,
      value: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      align: 'right',
      render: (letter) => (
        <span class="row-actions" onClick={(event) => event.stopPropagation()}>
          <Button isSmall icon="refresh" onPress={() => void retry(letter)}>
            Retry
          </Button>
          <Button isSmall kind="quiet" icon="trash" label="Purge" onPress={() => purge(letter)} />
        </span>
      ),
    },
  ];
}

function keyOf({ id }: DeadLetter): string {
  return id;
}
