// Present problems, in words, and the state of each page. The server derives both from one reading of the cluster, so that
// the sentence at the top, the dots of the rail and the list on the overview never contradict each other.

/** good: works; degraded: works with waits or detours; bad: requests or jobs fail; unknown: cannot be read. */
export type Status = 'good' | 'degraded' | 'bad' | 'unknown';

/** The pages of the dashboard, in the order of the rail. */
export type PageName = 'overview' | 'capacity' | 'jobs' | 'money' | 'cluster' | 'logs' | 'try';

/** The subject of a finding. */
export type FindingKind =
  | 'limit'
  | 'circuit'
  | 'headroom'
  | 'credentials'
  | 'queue'
  | 'dead-letters'
  | 'budget'
  | 'server'
  | 'dependency'
  | 'alert'
  | 'errors';

/** One present problem. All texts are plain text, never markup. */
export type Finding = {
  /** Stable while the cause lasts: `limit:anthropic/us-east`. */
  readonly id: string;
  readonly kind: FindingKind;
  readonly severity: 'degraded' | 'bad';
  /** One sentence: "Anthropic us-east is limited". Names providers; the reader is an operator. */
  readonly message: string;
  /** One sentence: the action that helps, or that none is needed. */
  readonly action: string;
  /** When it began, epoch milliseconds; null if unknown. */
  readonly since: number | null;
  /** When it ends by itself, epoch milliseconds; null if it does not or if that is unknown. */
  readonly until: number | null;
  /** The page that shows it. */
  readonly page: PageName;
  /** The query of that page's URL that selects it, without `?`; '' for the page itself. */
  readonly pageQuery: string;
};

/** The overall state: shown in the top bar and in the rail. */
export type OverallState = {
  readonly status: Status;
  /** One sentence: "Anthropic us-east is limited until 14:20 UTC; 37 jobs wait; everything else is fine." */
  readonly sentence: string;
  /** The same sentence in parts: replace a part's `until` by the viewer's local time. Joined by "; ". */
  readonly parts: readonly StatePart[];
  readonly pages: Readonly<Record<PageName, Status>>;
};

export type StatePart = {
  /** Without the time: "Anthropic us-east is limited". */
  readonly text: string;
  /** Shown as " until 14:20" after the text; null without an end. */
  readonly until: number | null;
};
