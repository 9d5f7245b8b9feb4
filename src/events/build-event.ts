// A build event: progress of a product's long-running work, shown to the product's users. Its error is stored in three
// forms: the raw text (for operators), code and parameters (for programs), one sentence (for people).

import type { ErrorCode, ErrorParams } from '../errors/codes.ts';

/** Build ids are unique within an organisation only. */
export type BuildKey = { readonly organizationId: string; readonly buildId: string };

export type EventError = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** The sentence in the reporter's language; readers get one rendered in theirs. */
  readonly message: string;
  /** The raw text without secrets. For operators only. */
  readonly internalMessage?: string | undefined;
};

export type NewBuildEvent = BuildKey & {
  readonly type: string;
  /** The product's own JSON, with errors removed. */
  readonly data: unknown;
  readonly userId?: string | undefined;
  readonly userVisible: boolean;
  readonly phase?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly overallProgress?: number | undefined;
  readonly finished: boolean;
  readonly previewUrl?: string | undefined;
  readonly durationSeconds?: number | undefined;
  readonly error?: EventError | undefined;
  readonly createdAt: number;
};

/** As read from the table, to which a product may also write rows itself. */
export type BuildEvent = Omit<NewBuildEvent, 'organizationId' | 'error'> & {
  /** Rises within a build, in the order in which events become visible. */
  readonly id: number;
  readonly organizationId?: string | undefined;
  readonly error?: StoredError | undefined;
};

/** The error columns; a row that a product wrote may hold a text and no code. */
export type StoredError = {
  readonly code?: string | undefined;
  readonly params?: unknown;
  readonly message?: string | undefined;
  readonly internalMessage?: string | undefined;
};
