// The port to the list of requests for operators: usage records of all organisations by time. A request is shown by its last
// attempt. The cost of a page is bounded: with filters a page examines a bounded number of records, so that it may have
// fewer rows than asked for and still a next page.

import type { UsageRecord } from './usage-record.ts';

/** A place in the list: the record it names is the last of a page. */
export type RequestPlace = { readonly createdAt: number; readonly id: string };

export type RequestPage = {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
  readonly before?: RequestPlace | undefined;
  readonly organizationId?: string | undefined;
  /** `OK` or an error code; `failed` selects every failure. */
  readonly code?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly minLatencyMs?: number | undefined;
};

export type RequestList = {
  /** The last attempts of requests, newest first, and the cursor of the next page, which is undefined at the end. */
  page(
    page: RequestPage,
  ): Promise<{ readonly records: readonly UsageRecord[]; readonly next: RequestPlace | undefined }>;
  /** All attempts of a request, in order, at most 100. */
  attempts(requestId: string): Promise<readonly UsageRecord[]>;
};
