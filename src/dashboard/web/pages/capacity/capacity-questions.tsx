// The questions before a limit is cleared or a circuit is closed, and what will happen then.

import type { Breaker, ProviderLimit } from '../../../api/capacity.ts';
import { sendJson } from '../../app/api-client.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import { scopePath } from './capacity-words.ts';

type QuestionProps = { readonly onClose: () => void; readonly onChanged: () => void };

export function ClearLimit(props: QuestionProps & { readonly limit: ProviderLimit }) {
  const { limit, onClose, onChanged } = props;
  const subject = limit.model === null ? limit.region : `${limit.region}, ${limit.model}`;
  const query = limit.model === null ? '' : `?model=${encodeURIComponent(limit.model)}`;
  const clear = async (): Promise<void> => {
    await sendJson('DELETE', `/admin/limits/${scopePath(limit)}${query}`);
    notify(`The limit of ${limit.provider} ${subject} is cleared.`);
    onChanged();
  };
  return (
    <Confirm
      title={`Clear the limit of ${limit.provider} ${subject}?`}
      action="Clear the limit"
      onConfirm={clear}
      onClose={onClose}
    >
      <p>
        Every server sends calls there again at once, and the jobs that wait for this limit are due
        within seconds. If the provider still refuses them, the limit is learnt again from its first
        answer.
        {limit.model === null ? ' Limits of single models in this region are cleared, too.' : ''}
      </p>
    </Confirm>
  );
}

export function ResetCircuit(props: QuestionProps & { readonly breaker: Breaker }) {
  const { breaker, onClose, onChanged } = props;
  const reset = async (): Promise<void> => {
    await sendJson('POST', `/admin/breakers/${scopePath(breaker)}/reset`);
    notify(`The circuit of ${breaker.provider} ${breaker.region} is closed.`);
    onChanged();
  };
  return (
    <Confirm
      title={`Close the circuit of ${breaker.provider} ${breaker.region}?`}
      action="Close the circuit"
      onConfirm={reset}
      onClose={onClose}
    >
      <p>
        Calls pass without a probe, and its counts start at zero. If calls still fail, the circuit
        opens again after a few of them.
      </p>
    </Confirm>
  );
}
