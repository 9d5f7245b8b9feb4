// The form of every list of the API: one page, newest or most urgent first, and the cursor of the next page.

export type PageOf<T> = {
  readonly data: readonly T[];
  /** Sent as `cursor` to read the next page; null on the last page. */
  readonly nextCursor: string | null;
};
