// Sets a limit by hand: no server calls that provider and region, or that model of it, until the reset.

import { useState } from 'preact/hooks';
import type { RegionCapacity } from '../../../api/capacity.ts';
import { sendJson } from '../../app/api-client.ts';
import { now, nowMs } from '../../app/browser-clock.ts';
import { nearTimeText } from '../../charts/figure-text.ts';
import { Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import { scopePath } from './capacity-words.ts';

const MINUTE_MS = 60_000;
const DURATIONS = [
  { value: '5', text: '5 minutes' },
  { value: '15', text: '15 minutes' },
  { value: '60', text: '1 hour' },
  { value: '360', text: '6 hours' },
  { value: '1440', text: '1 day' },
];

export function SetLimit(props: {
  readonly regions: readonly RegionCapacity[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const { regions, onClose, onChanged } = props;
  const [scope, setScope] = useState('0');
  const [model, setModel] = useState('');
  const [minutes, setMinutes] = useState('15');
  const region = regions[Number(scope)];
  const choices = regions.map((each, index) => ({
    value: String(index),
    text: `${each.provider} ${each.region}`,
  }));
  const set = async (): Promise<void> => {
    if (!region) return;
    const resetAt = now() + Number(minutes) * MINUTE_MS;
    await sendJson('PUT', `/admin/limits/${scopePath(region)}`, {
      resetAt,
      ...(model.trim() === '' ? {} : { model: model.trim() }),
    });
    notify(`${region.provider} ${region.region} is limited until ${nearTimeText(resetAt, now())}.`);
    onChanged();
    onClose();
  };
  return (
    <FormDialog
      title="Set a limit"
      action="Set the limit"
      isValid={region !== undefined}
      onSubmit={set}
      onClose={onClose}
    >
      <p>
        No server calls it until{' '}
        {nearTimeText(nowMs.value + Number(minutes) * MINUTE_MS, nowMs.value)}: requests use another
        target of their alias or are refused with the reset time, jobs wait.
      </p>
      <Select label="Provider and region" value={scope} choices={choices} onChange={setScope} />
      <Input label="Model" value={model} onInput={setModel} hint="Empty: all models." />
      <Select label="For" value={minutes} choices={DURATIONS} onChange={setMinutes} />
    </FormDialog>
  );
}
