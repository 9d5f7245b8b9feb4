// A scenario may leave a limit or an open circuit behind, as the real provider would. While the simulator stands in for the
// providers, one button makes everything healthy again.

import { useState } from 'preact/hooks';
import { failureText, sendJson } from '../../app/api-client.ts';
import { live } from '../../app/live.ts';
import { Button } from '../../ui/button.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { scopePath } from '../capacity/capacity-words.ts';

export function StartOver() {
  const [isBusy, setIsBusy] = useState(false);
  const limits = live.limits.value ?? [];
  const circuits = live.circuits.value ?? [];
  if (!live.cluster.value?.hasSimulator || limits.length + circuits.length === 0) return null;
  const start = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await sendJson('DELETE', '/admin/simulator/scenario');
      for (const limit of limits) {
        const query = limit.model === null ? '' : `?model=${encodeURIComponent(limit.model)}`;
        await sendJson('DELETE', `/admin/limits/${scopePath(limit)}${query}`);
      }
      for (const circuit of circuits)
        await sendJson('POST', `/admin/breakers/${scopePath(circuit)}/reset`);
      notify('Limits are cleared and circuits are closed.');
    } catch (error) {
      notifyFailure(failureText(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      icon="refresh"
      isBusy={isBusy}
      label="Clears the limits and closes the circuits that earlier scenarios have left"
      onPress={() => void start()}
    >
      Make everything healthy
    </Button>
  );
}
