// A front end's reader of build events as it was written before the migration: it knows only the classic field names,
// and shows one line per event. It polls, or follows the live stream.

import { openEventStream } from './event-stream.ts';

/** The fields that the front end declares; it parses nothing else. */
type ClassicEvent = {
  readonly id: number;
  readonly eventType: string;
  readonly eventData: { readonly step?: string };
  readonly eventPhase: string | null;
  readonly eventTitle: string | null;
  readonly eventDescription: string | null;
  readonly overallProgress: number | null;
  readonly finished: boolean;
  readonly createdAt: string;
  readonly error_message: string | null;
};

export type ClassicReader = {
  /** All lines, page by page. */
  poll(buildId: string): Promise<readonly string[]>;
  /** Calls back for each line until the build has finished. */
  follow(buildId: string, onLine: (line: string) => void): Promise<void>;
};

export function createClassicReader(url: string, key: string): ClassicReader {
  const headers = { authorization: `Bearer ${key}` };
  return {
    async poll(buildId) {
      const lines: string[] = [];
      for (let after: string | null = '0'; after !== null; ) {
        const query: string = `limit=2&after=${after}`;
        const answer = await fetch(`${url}/v1/builds/${buildId}/events?${query}`, { headers });
        const page: { readonly data: readonly ClassicEvent[]; readonly nextCursor: string | null } =
          JSON.parse(await answer.text());
        lines.push(...page.data.map(lineOf));
        after = page.nextCursor;
      }
      return lines;
    },
    async follow(buildId, onLine) {
      const stream = await openEventStream(`${url}/v1/builds/${buildId}/events`, headers);
      for (let event = await stream.next(); event; event = await stream.next())
        onLine(lineOf(JSON.parse(JSON.stringify(event.data))));
    },
  };
}

function lineOf(event: ClassicEvent): string {
  const day = event.createdAt.split('T')[0];
  const state = event.finished ? 'done' : `${event.overallProgress ?? 0} %`;
  return [
    day,
    event.eventType,
    event.eventPhase ?? '-',
    event.eventTitle ?? '-',
    event.eventDescription ?? '-',
    event.eventData.step ?? '-',
    state,
    event.error_message ?? 'ok',
  ].join(' | ');
}
