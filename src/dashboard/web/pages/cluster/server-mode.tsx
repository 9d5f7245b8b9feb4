// The switches of a server: maintenance, drain and resume. Each asks once and states what will happen.

import type { ClusterServer } from '../../../api/cluster.ts';
import { sendJson } from '../../app/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { notify } from '../../ui/toast.tsx';

export type ServerAction = 'maintenance' | 'drain' | 'resume';

export type ModeQuestion = { readonly action: ServerAction; readonly serverId: string };

type ActionText = {
  readonly button: string;
  readonly title: (id: string) => string;
  readonly happens: string;
  readonly done: (id: string) => string;
};

const TEXTS: Readonly<Record<ServerAction, ActionText>> = {
  maintenance: {
    button: 'Maintenance',
    title: (id) => `Put ${id} into maintenance?`,
    happens:
      'Other servers forward nothing to it, and it forwards its own requests. It keeps this mode after a restart, until you resume it.',
    done: (id) => `${id} is in maintenance.`,
  },
  drain: {
    button: 'Drain',
    title: (id) => `Drain ${id}?`,
    happens:
      'It finishes the requests and jobs in flight and accepts no new ones. The process stays, so that you can stop it or resume it.',
    done: (id) => `${id} drains.`,
  },
  resume: {
    button: 'Resume',
    title: (id) => `Resume ${id}?`,
    happens: 'It serves requests and jobs again.',
    done: (id) => `${id} serves again.`,
  },
};

export function ServerSwitches(props: {
  readonly server: ClusterServer;
  readonly onAsk: (question: ModeQuestion) => void;
}) {
  const { server, onAsk } = props;
  const actions: readonly ServerAction[] =
    server.isDraining || server.isMaintenanceMode ? ['resume'] : ['maintenance', 'drain'];
  return (
    <span class="row-actions">
      {actions.map((action) => (
        <Button
          key={action}
          isSmall
          kind={action === 'resume' ? 'primary' : 'default'}
          onPress={() => onAsk({ action, serverId: server.id })}
        >
          {TEXTS[action].button}
        </Button>
      ))}
    </span>
  );
}

export function ServerModeQuestion(props: {
  readonly question: ModeQuestion;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { action, serverId } = props.question;
  const text = TEXTS[action];
  return (
    <Confirm
      title={text.title(serverId)}
      action={text.button}
      isDanger={action === 'drain'}
      onClose={props.onClose}
      onConfirm={async () => {
        await sendJson('POST', `/cluster/servers/${encodeURIComponent(serverId)}/${action}`);
        notify(text.done(serverId));
        props.onDone();
      }}
    >
      {text.happens}
    </Confirm>
  );
}
