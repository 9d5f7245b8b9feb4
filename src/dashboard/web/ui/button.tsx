// A button: primary for the one main action of a page or dialog, danger for a destructive one, quiet inside of rows.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';
import './button.css';

export type ButtonProps = {
  readonly children?: ComponentChildren;
  readonly kind?: 'default' | 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** The accessible name of a button without text; beside text it is the tooltip. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly isSmall?: boolean;
  /** The action runs: the button stays in place and accepts no second press. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly onPress?: () => void;
};

export function Button(props: ButtonProps) {
  const { kind = 'default', icon, label, type = 'button', children, isBusy = false } = props;
  const classes = ['button', `button-${kind}`];
  if (props.isSmall) classes.push('button-small');
  if (children === undefined) classes.push('button-icon');
  return (
    <button
      class={classes.join(' ')}
      type={type}
      aria-label={children === undefined ? label : undefined}
      title={label}
      aria-pressed={props.isPressed}
      aria-busy={isBusy}
      disabled={props.isDisabled || isBusy}
      onClick={props.onPress}
    >
      {icon ? <Icon name={icon} size={props.isSmall ? 14 : 16} /> : null}
      {children}
    </button>
  );
}
