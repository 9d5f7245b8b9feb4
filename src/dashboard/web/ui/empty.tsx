// An empty list or chart: the reason, the action that fills it, and a command to paste.

import type { ComponentChildren } from 'preact';
import { CopyText } from './copyable.tsx';
import type { IconName } from './icons.tsx';
import { Icon } from './icons.tsx';
import './empty.css';

export type EmptyProps = {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** Shown as code with a copy button. */
  readonly command?: string;
  readonly icon?: IconName;
};

export function Empty({ title, children, command, icon = 'circle' }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <p class="empty-title">{title}</p>
      {children ? <div class="empty-text">{children}</div> : null}
      {command === undefined ? null : (
        <div class="empty-command">
          <pre tabIndex={0}>{command}</pre>
          <CopyText text={command} label="Copy the command" />
        </div>
      )}
    </div>
  );
}
