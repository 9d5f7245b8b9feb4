// Alerts as findings. An alert about a problem that already has a finding is not repeated: the finding refers to the
// alert's section of the runbook. The page Logs and alerts shows every alert.

import type { Finding, FindingKind } from '../api/findings.ts';
import type { LiveAlert } from '../api/live.ts';

/** The kinds of findings that cover each alert. */
const KINDS: Readonly<Record<string, readonly FindingKind[]>> = {
  'error-rate': ['errors'],
  'error-count': ['errors'],
  'circuit-open': ['circuit', 'limit'],
  'budget-usage': ['budget'],
  'dead-letters': ['dead-letters'],
  'oldest-waiting-job': ['queue'],
  'credentials-refused': ['credentials'],
  'dependency-unavailable': ['dependency'],
};

/** Findings of these kinds name one subject: an alert about another subject is a finding of its own. */
const NAMED: ReadonlySet<FindingKind> = new Set(['circuit', 'limit', 'budget', 'credentials']);

export function withAlerts(
  findings: readonly Finding[],
  alerts: readonly LiveAlert[],
): readonly Finding[] {
  const references = new Map<string, string>();
  const others: Finding[] = [];
  for (const alert of alerts) {
    const known = findings.find((finding) => isAbout(finding, alert));
    if (known) references.set(known.id, alert.name);
    else others.push(alertFinding(alert));
  }
  const named = findings.map((finding) => {
    const section = references.get(finding.id);
    return section === undefined
      ? finding
      : { ...finding, action: `${finding.action} See docs/runbook.md#${section}.` };
  });
  return [...named, ...others];
}

function isAbout({ kind, id }: Finding, { name, message }: LiveAlert): boolean {
  if (!KINDS[name]?.includes(kind)) return false;
  if (!NAMED.has(kind)) return true;
  const subject = id.slice(id.indexOf(':') + 1);
  return [subject, subject.replace('/', ' ')].some((each) => hasWord(message, each));
}

/** `acme` is not the subject of an alert about `acme-2`. */
function hasWord(text: string, word: string): boolean {
  const place = text.indexOf(word);
  return place >= 0 && !/[\w-]/.test(text.charAt(place + word.length));
}

function alertFinding({ id, name, severity, message, startedAt }: LiveAlert): Finding {
  return {
    id: `alert:${id}`,
    kind: 'alert',
    severity: severity === 'critical' ? 'bad' : 'degraded',
    message: `The alert ${name} fires`,
    action: message,
    since: startedAt,
    until: null,
    page: 'logs',
    pageQuery: 'tab=alerts',
  };
}
