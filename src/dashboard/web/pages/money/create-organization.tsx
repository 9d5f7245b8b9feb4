// The form of a new organisation. The server validates; the form has the fields that most operators set and states
// their defaults.

import { useState } from 'preact/hooks';
import type { Organization } from '../../../api/money.ts';
import { sendJson } from '../../app/api-client.ts';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import { parseUsd } from './money-words.ts';

export function CreateOrganization(props: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}) {
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const [budget, setBudget] = useState('100');
  const [rate, setRate] = useState('100');
  const budgetUsd = parseUsd(budget);
  const perMinute = Number(rate);
  const isValid = name.trim() !== '' && budgetUsd !== undefined && perMinute >= 1;

  const create = async (): Promise<void> => {
    const made = await sendJson<Organization>('POST', '/admin/orgs', {
      ...(id.trim() === '' ? {} : { id: id.trim() }),
      name: name.trim(),
      monthlyBudgetUsd: budgetUsd,
      requestsPerMinute: perMinute,
    });
    notify(`Organisation ${made.name} is created.`);
    props.onCreated(made.id);
  };
  return (
    <FormDialog
      title="Create organisation"
      action="Create"
      isValid={isValid}
      onSubmit={create}
      onClose={props.onClose}
    >
      <Input label="Name" value={name} onInput={setName} isRequired hasFocus />
      <Input
        label="Id"
        value={id}
        onInput={setId}
        placeholder="generated"
        hint="Small letters, digits and dashes; it cannot change later."
      />
      <Input
        label="Budget a month, US dollars"
        type="number"
        min={0}
        step="0.01"
        value={budget}
        onInput={setBudget}
        error={budgetUsd === undefined ? 'A number of dollars, from 0.' : undefined}
        hint="A call that would exceed it is refused before it is sent."
      />
      <Input
        label="Requests a minute"
        type="number"
        min={1}
        step={1}
        value={rate}
        onInput={setRate}
      />
    </FormDialog>
  );
}
