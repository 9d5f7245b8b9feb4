// Notices at the bottom: an action is done, or it failed. A screen reader announces them; a failure stays until it is closed.

import { signal } from '@preact/signals';
import { after } from '../app/browser-clock.ts';
import { Button } from './button.tsx';
import { StatusShape } from './status.tsx';
import './toast.css';

type Toast = { readonly id: number; readonly text: string; readonly isFailure: boolean };

const SHOWN_MS = 5000;
const MAX_TOASTS = 3;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

export function notify(text: string): void {
  const id = add(text, false);
  after(SHOWN_MS, () => close(id));
}

export function notifyFailure(text: string): void {
  if (!toasts.peek().some((toast) => toast.isFailure && toast.text === text)) add(text, true);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isFailure }) => (
        <div key={id} class="toast">
          <StatusShape state={isFailure ? 'bad' : 'good'} />
          <span>{text}</span>
          <Button
            kind="quiet"
            isSmall
            icon="cross"
            label="Close the notice"
            onPress={() => close(id)}
          />
        </div>
      ))}
    </div>
  );
}

function add(text: string, isFailure: boolean): number {
  lastId += 1;
  toasts.value = [...toasts.peek(), { id: lastId, text, isFailure }].slice(-MAX_TOASTS);
  return lastId;
}

function close(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}
