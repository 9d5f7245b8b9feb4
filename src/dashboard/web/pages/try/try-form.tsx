// The form: format, model, prompt, and, where the simulator stands in for the providers, its scenarios as buttons that send the
// request immediately.

import type { TryOptions } from '../../../api/try-it.ts';
import { setParams } from '../../app/router.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Suggest, TextArea } from '../../ui/field.tsx';
import { Segments } from '../../ui/tabs.tsx';
import { FORMATS, groupScenarios, scenarioTitle, type TryChoices } from './try-words.ts';

const MAX_PROMPT = 4000;

export type TryFormProps = {
  readonly options: TryOptions | undefined;
  readonly choices: TryChoices;
  readonly prompt: string;
  readonly onPrompt: (prompt: string) => void;
  readonly isBusy: boolean;
  readonly onSend: (scenario: string) => void;
};

export function TryForm(props: TryFormProps) {
  const { options, choices, isBusy, onSend } = props;
  return (
    <form
      class="try-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(choices.scenario);
      }}
    >
      <Segments
        label="Wire format"
        choices={FORMATS}
        value={choices.format}
        onChange={(format) => setParams({ format }, true)}
      />
      <Suggest
        label="Model or alias"
        value={choices.model}
        suggestions={options?.models ?? []}
        onInput={(model) => setParams({ model }, true)}
      />
      <TextArea
        label="Prompt"
        rows={3}
        maxLength={MAX_PROMPT}
        value={props.prompt}
        onInput={props.onPrompt}
      />
      <div class="try-send">
        <Checkbox
          label="Stream"
          isChecked={choices.isStreamed}
          onChange={(isOn) => setParams({ stream: isOn ? 'true' : '' }, true)}
        />
        <Button
          kind="primary"
          type="submit"
          icon="play"
          isBusy={isBusy}
          isDisabled={choices.model === '' || props.prompt === ''}
        >
          Send
        </Button>
      </div>
      <Scenarios {...props} />
    </form>
  );
}

function Scenarios({ options, choices, onSend, isBusy }: TryFormProps) {
  if (options === undefined) return null;
  if (options.scenarios.length === 0)
    return (
      <p class="try-note">
        The request goes to the configured provider and costs what it costs. Start without provider
        keys to try limits and failures with the simulator.
      </p>
    );
  const choose = (name: string): void => {
    const next = name === choices.scenario ? '' : name;
    setParams({ scenario: next }, true);
    onSend(next);
  };
  return (
    <fieldset class="try-scenarios">
      <legend>What if the provider …</legend>
      <div class="scenario-list">
        {groupScenarios(options.scenarios).map(({ title, scenarios }) => (
          <div key={title}>
            <h3>{title}</h3>
            {scenarios.map(({ name, description }) => (
              <button
                key={name}
                type="button"
                class="scenario"
                disabled={isBusy}
                aria-pressed={name === choices.scenario}
                onClick={() => choose(name)}
              >
                <b>{scenarioTitle(name)}</b>
                <span>{description}</span>
              </button>
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
