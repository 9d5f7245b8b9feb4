// A new key: its name and budget, then the key itself, once. Closing the dialog drops it from the page.

import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../api/money.ts';
import { sendJson } from '../../app/api-client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copyable.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { parseUsd } from './money-words.ts';

const SCOPES = [
  { scope: 'call', text: 'call models' },
  { scope: 'jobs', text: 'submit jobs' },
  { scope: 'events', text: 'report and read build events' },
  { scope: 'metrics', text: 'read metrics' },
] as const;
const DEFAULT_SCOPES: readonly string[] = ['call', 'jobs', 'events'];

export function CreateKey(props: { readonly path: string; readonly onClose: () => void }) {
  const [key, setKey] = useState<string>();
  return key === undefined ? (
    <KeyForm path={props.path} onClose={props.onClose} onCreated={setKey} />
  ) : (
    <Dialog
      title="Copy the key now"
      onClose={props.onClose}
      actions={
        <Button kind="primary" onPress={props.onClose}>
          Done
        </Button>
      }
    >
      <p>It is shown once: Spillway stores only its hash.</p>
      <div class="secret">
        <code>{key}</code>
        <CopyText text={key} label="Copy the key" />
      </div>
    </Dialog>
  );
}

function KeyForm(props: {
  readonly path: string;
  readonly onClose: () => void;
  readonly onCreated: (key: string) => void;
}) {
  const [name, setName] = useState('');
  const [budget, setBudget] = useState('');
  const [scopes, setScopes] = useState(DEFAULT_SCOPES);
  const budgetUsd = parseUsd(budget);
  const isValid = (budget.trim() === '' || budgetUsd !== undefined) && scopes.length > 0;

  const create = async (): Promise<void> => {
    const made = await sendJson<ApiKey & { readonly key: string }>('POST', props.path, {
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(budgetUsd === undefined ? {} : { monthlyBudgetUsd: budgetUsd }),
      scopes,
    });
    props.onCreated(made.key);
  };
  return (
    <FormDialog
      title="Create key"
      action="Create key"
      isValid={isValid}
      onSubmit={create}
      onClose={props.onClose}
    >
      <Input label="Name" value={name} onInput={setName} placeholder="backend" hasFocus />
      <Input
        label="Budget a month, US dollars"
        type="number"
        min={0}
        step="0.01"
        value={budget}
        onInput={setBudget}
        placeholder="the organisation's"
      />
      <fieldset class="form-choices">
        <legend>The key may</legend>
        {SCOPES.map(({ scope, text }) => (
          <Checkbox
            key={scope}
            label={text}
            isChecked={scopes.includes(scope)}
            onChange={(isChecked) =>
              setScopes(isChecked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
