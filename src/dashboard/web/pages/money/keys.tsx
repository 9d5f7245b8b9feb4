// The keys of an organisation: create one, which is shown once, and revoke, which asks once.

import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../api/money.ts';
import { sendJson } from '../../app/api-client.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { usePages } from '../../data/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { notify } from '../../ui/toast.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import { CreateKey } from './create-key.tsx';

export function Keys({ organizationId }: { readonly organizationId: string }) {
  const path = `/admin/orgs/${encodeURIComponent(organizationId)}/keys`;
  const pages = usePages<ApiKey>(`${path}?limit=50`, ({ id }) => id);
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  return (
    <Card
      span={12}
      title="Keys"
      isFlush
      aside={
        <Button isSmall icon="key" onPress={() => setIsCreating(true)}>
          Create key
        </Button>
      }
    >
      <FailureNotice failure={pages.failure} onRetry={pages.reload} />
      <Table
        label="Keys"
        columns={columns(setRevoked, nowMs.value)}
        rows={pages.rows ?? (pages.failure ? [] : undefined)}
        keyOf={({ id }) => id}
        onMore={pages.more}
        isLoadingMore={pages.isLoadingMore}
        skeletonRows={2}
        empty={
          <Empty title="No key yet" icon="key">
            Callers of this organisation need a key. Create one, copy it, and give it to them.
          </Empty>
        }
      />
      {isCreating ? (
        <CreateKey
          path={path}
          onClose={() => {
            setIsCreating(false);
            pages.reload();
          }}
        />
      ) : null}
      {revoked ? (
        <Confirm
          title={`Revoke the key ${revoked.name}?`}
          action="Revoke"
          isDanger
          onClose={() => setRevoked(undefined)}
          onConfirm={async () => {
            await sendJson('DELETE', `${path}/${encodeURIComponent(revoked.id)}`);
            notify('The key is revoked.');
            pages.reload();
          }}
        >
          Calls with <span class="mono">{revoked.prefix}…</span> are refused at once, on every
          server. A revoked key cannot be restored.
        </Confirm>
      ) : null}
    </Card>
  );
}

function columns(revoke: (key: ApiKey) => void, now: number): readonly Column<ApiKey>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      render: ({ name, prefix }) => (
        <span class="two-lines">
          <span class="cut-line">{name || 'unnamed'}</span>
          <span class="mono soft">{prefix}…</span>
        </span>
      ),
    },
    { id: 'state', title: 'State', render: (key) => <KeyState apiKey={key} now={now} /> },
    { id: 'scopes', title: 'May', isWideOnly: true, render: ({ scopes }) => scopes.join(', ') },
    {
      id: 'expires',
      title: 'Expires',
      isWideOnly: true,
      render: ({ expiresAt }) => (expiresAt === null ? 'never' : <RelativeTime at={expiresAt} />),
    },
    {
      id: 'created',
      title: 'Created',
      isWideOnly: true,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      align: 'right',
      render: (key) =>
        key.revokedAt === null ? (
          <Button isSmall kind="quiet" icon="trash" onPress={() => revoke(key)}>
            Revoke
          </Button>
        ) : null,
    },
  ];
}

function KeyState({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: number }) {
  if (apiKey.revokedAt !== null) return <Status state="unknown" word="revoked" />;
  if (apiKey.expiresAt !== null && apiKey.expiresAt <= now)
    return <Status state="unknown" word="expired" />;
  return <Status state="good" word="works" />;
}
