// A dialog with a form: the fields, then Cancel and the action. The form is sent by the button or by Enter while it is
// valid; if the server refuses it, the dialog stays open with the server's sentence.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { failureText } from '../app/api-client.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export type FormDialogProps = {
  readonly title: string;
  /** The verb on the button: "Create key". */
  readonly action: string;
  readonly isValid: boolean;
  /** The dialog shows the failure when it rejects; the caller closes the dialog. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

export function FormDialog(props: FormDialogProps) {
  const { isValid, onClose } = props;
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await props.onSubmit();
    } catch (error) {
      setFailure(failureText(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid && !isBusy) void submit();
        }}
      >
        {props.children}
        {failure === undefined ? null : (
          <p class="form-failure" role="alert">
            {failure}
          </p>
        )}
        <div class="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} isDisabled={!isValid}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
