// Form fields: a label above its control, a hint below, an error in place of the hint.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './field.css';

type FieldProps = {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Shows the label to screen readers only, where the context explains the field. */
  readonly isLabelHidden?: boolean;
};

export type InputProps = FieldProps & {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'search' | 'datetime-local';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
  readonly min?: number | string;
  readonly step?: number | string;
  readonly hasFocus?: boolean;
};

export function Input(props: InputProps) {
  const id = useId();
  // Preact's type of `<input>` couples `type` with attributes that this component lacks.
  const type: { type?: 'text' } = { type: props.type as 'text' };
  return (
    <Field {...props} id={id}>
      <input
        {...type}
        id={id}
        class="control"
        value={props.value}
        placeholder={props.placeholder}
        required={props.isRequired}
        autocomplete={props.autocomplete ?? 'off'}
        min={props.min}
        step={props.step}
        autoFocus={props.hasFocus}
        aria-invalid={props.error === undefined ? undefined : true}
        aria-describedby={`${id}-note`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </Field>
  );
}

/** A text with suggestions: any value may be typed. */
export function Suggest(
  props: FieldProps & {
    readonly value: string;
    readonly suggestions: readonly string[];
    readonly onInput: (value: string) => void;
  },
) {
  const id = useId();
  return (
    <Field {...props} id={id}>
      <input
        type="text"
        id={id}
        class="control"
        list={`${id}-list`}
        value={props.value}
        autocomplete="off"
        aria-describedby={`${id}-note`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {props.suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </Field>
  );
}

export function TextArea(
  props: FieldProps & {
    readonly value: string;
    readonly rows?: number;
    readonly maxLength?: number;
    readonly onInput: (value: string) => void;
  },
) {
  const id = useId();
  return (
    <Field {...props} id={id}>
      <textarea
        id={id}
        class="control"
        rows={props.rows ?? 4}
        maxLength={props.maxLength}
        value={props.value}
        aria-describedby={`${id}-note`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </Field>
  );
}

export type Choice = { readonly value: string; readonly text: string };

export function Select(
  props: FieldProps & {
    readonly value: string;
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
  },
) {
  const id = useId();
  return (
    <Field {...props} id={id}>
      <select
        id={id}
        class="control"
        aria-describedby={`${id}-note`}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.choices.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Checkbox(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

function Field(props: FieldProps & { readonly id: string; readonly children: ComponentChildren }) {
  const { id, label, hint, error, isLabelHidden, children } = props;
  return (
    <div class="field">
      <label class={isLabelHidden ? 'visually-hidden' : 'field-label'} for={id}>
        {label}
      </label>
      {children}
      <div
        id={`${id}-note`}
        class={error ? 'field-error' : 'field-hint'}
        role={error ? 'alert' : undefined}
      >
        {error ?? hint}
      </div>
    </div>
  );
}
