// Texts of the page "Try it": pure.

import type { TryAnswer, WireFormat } from '../../../api/try-it.ts';
import type { State } from '../../ui/status.tsx';

export type TryChoices = {
  /** In the URL, except for the prompt. */
  readonly format: WireFormat;
  readonly model: string;
  readonly scenario: string;
  readonly isStreamed: boolean;
  readonly locales: readonly string[];
};

export const FORMATS: readonly { readonly value: WireFormat; readonly text: string }[] = [
  { value: 'messages', text: 'Messages' },
  { value: 'chat', text: 'Chat' },
  { value: 'responses', text: 'Responses' },
  { value: 'generate', text: 'Gemini' },
];

export const DEFAULT_PROMPT = 'Explain in one sentence what a spillway is.';
/** Three languages to begin with: they differ in script and in word order. */
export const DEFAULT_LOCALES: readonly string[] = ['en', 'de', 'tr'];

export function statusState(status: number): State {
  if (status < 400) return 'good';
  return status < 500 ? 'degraded' : 'bad';
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'Overloaded',
};

export function statusText(status: number): string {
  return [String(status), STATUS_WORDS[status] ?? ''].join(' ').trim();
}

/** JSON with indents; anything else, such as a stream's events, as it is. */
export function prettyBody({ body, isBodyCut }: Pick<TryAnswer, 'body' | 'isBodyCut'>): string {
  if (isBodyCut) return `${body}\n…`;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** `usage-limit-in-stream` → `Usage limit in stream`. */
export function scenarioTitle(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const GROUPS: readonly { readonly title: string; readonly pattern: RegExp }[] = [
  { title: 'Well', pattern: /^(?:healthy|slow|slow-stream|long-answer)$/ },
  { title: 'Limits', pattern: /limit|credits|throttle/ },
  {
    title: 'Failures',
    pattern: /overloaded|error|timeout|flaky|hang|reset|drop|cut|broken|garbage/,
  },
];

/** Scenarios by the kind of trouble, in the order of the simulator. */
export function groupScenarios<Scenario extends { readonly name: string }>(
  scenarios: readonly Scenario[],
): readonly { readonly title: string; readonly scenarios: readonly Scenario[] }[] {
  const grouped = Map.groupBy(
    scenarios,
    ({ name }) => GROUPS.find(({ pattern }) => pattern.test(name))?.title ?? 'Refusals',
  );
  const order = [...GROUPS.map(({ title }) => title), 'Refusals'];
  return order.flatMap((title) => {
    const own = grouped.get(title);
    return own ? [{ title, scenarios: own }] : [];
  });
}
