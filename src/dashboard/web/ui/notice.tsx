// A failed reading, above the content that stays: the page shows the last answer until the next one arrives.

import { StatusShape } from './status.tsx';
import './notice.css';

export function Notice({ failure }: { readonly failure: string | undefined }) {
  if (failure === undefined) return null;
  return (
    <p class="notice state-bad" role="alert">
      <StatusShape state="bad" />
      <span>
        <b>Part of this page could not be read.</b> {failure}
      </span>
    </p>
  );
}
