// The filters above a list, side by side, with a reset while one is set and the actions on the whole list at the right.

import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import './pages.css';

export function FilterBar(props: {
  readonly children: ComponentChildren;
  readonly onReset?: (() => void) | undefined;
  readonly side?: ComponentChildren;
}) {
  return (
    <div class="filter-bar" role="search">
      <div class="filter-fields">{props.children}</div>
      {props.onReset ? (
        <Button kind="quiet" icon="cross" onPress={props.onReset}>
          Clear filters
        </Button>
      ) : null}
      {props.side ? <div class="filter-side">{props.side}</div> : null}
    </div>
  );
}
