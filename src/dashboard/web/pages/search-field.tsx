// A text filter that applies when the typing pauses or on Enter, so that a list is not read at every keystroke.

import { useEffect, useRef, useState } from 'preact/hooks';
import { after } from '../app/browser-clock.ts';
import { Input } from '../ui/field.tsx';

const PAUSE_MS = 350;

export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(props.value);
  const applied = useRef(props.value);
  const change = useRef(props.onChange);
  change.current = props.onChange;
  useEffect(() => {
    // The address has changed from outside: a link, the back button, "Clear filters".
    if (props.value !== applied.current) setTyped(props.value);
    applied.current = props.value;
  }, [props.value]);
  useEffect(() => {
    const text = typed.trim();
    if (text === applied.current) return;
    return after(PAUSE_MS, () => {
      applied.current = text;
      change.current(text);
    });
  }, [typed]);
  return (
    <Input
      label={props.label}
      type="search"
      value={typed}
      placeholder={props.placeholder ?? 'any'}
      onInput={setTyped}
      {...(props.suggestions ? { suggestions: props.suggestions } : {})}
    />
  );
}
