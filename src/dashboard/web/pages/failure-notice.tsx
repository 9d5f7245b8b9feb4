// A reading that failed: the sentence and a way to try again. The previous reading stays on the page.

import { Button } from '../ui/button.tsx';
import { StatusShape } from '../ui/status.tsx';
import './pages.css';

export function FailureNotice(props: {
  readonly failure: string | undefined;
  readonly onRetry: () => void;
}) {
  if (props.failure === undefined) return null;
  return (
    <div class="failure-notice" role="alert">
      <StatusShape state="bad" />
      <span>{props.failure}</span>
      <Button isSmall onPress={props.onRetry}>
        Try again
      </Button>
    </div>
  );
}
