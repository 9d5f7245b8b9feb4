// The remedy of a finding: commands between backquotes as code, and the section of the runbook as a link to the page that
// shows it.

import { linkTo } from '../app/router.ts';

const PARTS = /(`[^`]+`|docs\/runbook\.md#[a-z0-9-]+)/;
const RUNBOOK = 'docs/runbook.md#';

export function ActionText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(PARTS).map((part, index) => (
        <Part key={`${index} ${part}`} part={part} />
      ))}
    </>
  );
}

function Part({ part }: { readonly part: string }) {
  if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
  if (!part.startsWith(RUNBOOK)) return <>{part}</>;
  const section = part.slice(RUNBOOK.length);
  return <a href={linkTo('logs', { tab: 'runbook', section })}>the runbook</a>;
}
