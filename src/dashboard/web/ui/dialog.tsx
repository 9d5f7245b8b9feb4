// A dialog on the browser's own <dialog>: it traps the focus, closes on Escape, and returns the focus. A question about a
// destructive action is asked once and states what will happen.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { failureText } from '../app/api-client.ts';
import { Button } from './button.tsx';
import './dialog.css';

export type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The buttons. */
  readonly actions?: ComponentChildren;
  /** A side panel over the full height, for details. */
  readonly isPanel?: boolean;
};

export function Dialog({ title, onClose, children, actions, isPanel = false }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={isPanel ? 'dialog dialog-panel' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="cross" label="Close" onPress={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions ? <footer class="dialog-actions">{actions}</footer> : null}
      </div>
    </dialog>
  );
}

export type ConfirmProps = {
  readonly title: string;
  /** Describes what will happen. */
  readonly children: ComponentChildren;
  /** The verb on the button: "Clear the limit". */
  readonly action: string;
  readonly isDanger?: boolean;
  /** The dialog closes when it resolves and shows the failure when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
};

export function Confirm(props: ConfirmProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (error) {
      setFailure(failureText(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      actions={
        <>
          <Button onPress={props.onClose}>Cancel</Button>
          <Button
            kind={props.isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            onPress={() => void confirm()}
          >
            {props.action}
          </Button>
        </>
      }
    >
      {props.children}
      {failure === undefined ? null : (
        <p class="dialog-failure" role="alert">
          {failure}
        </p>
      )}
    </Dialog>
  );
}
