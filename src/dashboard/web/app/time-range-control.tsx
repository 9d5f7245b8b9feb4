// The control of the time range: the names side by side, and a dialog for two exact times.

import { useState } from 'preact/hooks';
import { minuteText } from '../charts/figure-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Input } from '../ui/field.tsx';
import { Segments } from '../ui/tabs.tsx';
import { now } from './browser-clock.ts';
import { chooseCustomRange, chooseRange, RANGES, shownRange } from './time-range.ts';

const CUSTOM = 'custom';
const HOUR_MS = 3_600_000;

export function TimeRangeControl() {
  const [isOpen, setIsOpen] = useState(false);
  const range = shownRange.value;
  const choices = [
    ...RANGES.map(({ name, text }) => ({ value: name, text })),
    { value: CUSTOM, text: range.kind === 'custom' ? rangeText(range.from, range.to) : 'Custom' },
  ];
  return (
    <>
      <Segments
        label="Time range"
        choices={choices}
        value={range.kind === 'custom' ? CUSTOM : range.name}
        onChange={(value) => {
          const named = RANGES.find(({ name }) => name === value);
          if (named) chooseRange(named.name);
          else setIsOpen(true);
        }}
      />
      {isOpen ? <CustomRange onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function CustomRange({ onClose }: { readonly onClose: () => void }) {
  const range = shownRange.value;
  const [from, setFrom] = useState(
    localInput(range.kind === 'custom' ? range.from : now() - HOUR_MS),
  );
  const [to, setTo] = useState(localInput(range.kind === 'custom' ? range.to : now()));
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const isValid = toMs > fromMs;
  const apply = (): void => {
    chooseCustomRange(fromMs, toMs);
    onClose();
  };
  return (
    <Dialog
      title="Time range"
      onClose={onClose}
      actions={
        <Button kind="primary" isDisabled={!isValid} onPress={apply}>
          Show this range
        </Button>
      }
    >
      <Input label="From" type="datetime-local" value={from} onInput={setFrom} />
      <Input
        label="To"
        type="datetime-local"
        value={to}
        onInput={setTo}
        error={isValid ? undefined : 'The end must be after the start.'}
      />
    </Dialog>
  );
}

function rangeText(from: number, to: number): string {
  return `${minuteText(from)} – ${minuteText(to)}`;
}

/** The value of a `datetime-local` input: the viewer's local time without a zone. */
function localInput(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
