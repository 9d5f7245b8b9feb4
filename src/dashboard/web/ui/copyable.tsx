// Text and figures that a click copies. A figure copies its exact value, not its rounded text.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { after } from '../app/browser-clock.ts';
import { Button } from './button.tsx';
import './copyable.css';

const SHOWN_MS = 1200;

/** A figure: looks like text, and copies `value` when it is pressed. */
export function Copyable(props: {
  readonly value: string | number;
  readonly children?: ComponentChildren;
}) {
  const text = String(props.value);
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" class="copyable" title={`Copy ${text}`} onClick={copy}>
      {props.children ?? text}
      <span class="copyable-done" role="status">
        {isCopied ? 'copied' : ''}
      </span>
    </button>
  );
}

/** A button with an icon that copies a text. */
export function CopyText({ text, label }: { readonly text: string; readonly label: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      kind="quiet"
      isSmall
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      onPress={copy}
    />
  );
}

function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => (isCopied ? after(SHOWN_MS, () => setIsCopied(false)) : undefined), [isCopied]);
  return {
    isCopied,
    copy: () => void writeClipboard(text).then((isDone) => setIsCopied(isDone)),
  };
}

/** `navigator.clipboard` exists only on loopback and with TLS. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
