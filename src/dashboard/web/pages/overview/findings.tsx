// The present problems: for each a sentence, its start and end, its remedy, and the page that shows it. The list keeps
// its order while the pointer or the focus is in it.

import { useRef, useState } from 'preact/hooks';
import type { Finding } from '../../../api/findings.ts';
import { nowMs } from '../../app/browser-clock.ts';
import { pageOf } from '../../app/pages.ts';
import { linkTo } from '../../app/router.ts';
import { countdownText, nearTimeText } from '../../charts/figure-text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icons.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { stableRows } from '../../ui/stable-rows.ts';
import { StatusShape } from '../../ui/status.tsx';
import { ActionText } from '../action-text.tsx';
import './findings.css';

/** The number of findings shown at first, the worst ones; the charts stay visible below them. */
const SHOWN = 5;

export function Findings({ findings }: { readonly findings: readonly Finding[] | undefined }) {
  const [isHeld, setIsHeld] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const shown = useRef<readonly Finding[]>([]);
  if (findings === undefined)
    return (
      <Card>
        <div aria-busy="true">
          <Skeleton width="40%" height={16} />
        </div>
      </Card>
    );
  const { rows } = stableRows(shown.current, findings, ({ id }) => id, isHeld);
  shown.current = rows;
  if (rows.length === 0) return <AllWell />;
  return (
    <Card title="What is wrong now" isFlush>
      <ul
        class="findings"
        onPointerEnter={() => setIsHeld(true)}
        onPointerLeave={() => setIsHeld(false)}
        onFocusIn={() => setIsHeld(true)}
        onFocusOut={() => setIsHeld(false)}
      >
        {rows.slice(0, isWhole ? rows.length : SHOWN).map((finding) => (
          <FindingRow key={finding.id} finding={finding} />
        ))}
      </ul>
      {rows.length > SHOWN ? (
        <div class="findings-more">
          <Button isSmall kind="quiet" onPress={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${rows.length - SHOWN} more`}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function AllWell() {
  return (
    <Card>
      <p class="all-well state-good">
        <StatusShape state="good" size={12} />
        <span>
          <b>Everything works.</b> No limit, no open circuit, no alert, and no job waits longer than
          it should.
        </span>
      </p>
    </Card>
  );
}

function FindingRow({ finding }: { readonly finding: Finding }) {
  const { severity, message, action, since, until, page, pageQuery } = finding;
  const params = Object.fromEntries(new URLSearchParams(pageQuery));
  return (
    <li class={`finding state-${severity}`}>
      <StatusShape state={severity} size={12} />
      <div class="finding-text">
        <p class="finding-message">
          <span class="visually-hidden">{severity}: </span>
          {message}
        </p>
        <p class="finding-action">
          <ActionText text={action} />
        </p>
      </div>
      <div class="finding-times figures">
        {until === null ? null : (
          <span>
            ends in <b>{countdownText(until - nowMs.value)}</b>, at{' '}
            {nearTimeText(until, nowMs.value)}
          </span>
        )}
        {since === null ? null : (
          <span>
            since <RelativeTime at={since} />
          </span>
        )}
      </div>
      <a class="finding-link" href={linkTo(page, params)}>
        {pageOf(page)?.title ?? page}
        <Icon name="right" size={14} />
      </a>
    </li>
  );
}
