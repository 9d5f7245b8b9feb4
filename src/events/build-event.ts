// A build event: what a product's long work tells of itself, and its users are shown. An error in it is kept in three
// forms: what was really said (for operators), code and parameters (for programs), one sentence (for people).

import type { ErrorCode, ErrorParams } from '../errors/codes.ts';

/** Whose build; two organisations may use the same ids and never meet. */
export type BuildKey = { readonly organizationId: string; readonly buildId: string };

export type EventError = {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** The sentence its reporter's readers were given; others get one in their own language. */
  readonly message: string;
  /** What was really said, without secrets. For operators alone. */
  readonly internalMessage?: string | undefined;
};

export type NewBuildEvent = BuildKey & {
  readonly type: string;
  /** JSON of the product's own, without the error. */
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

/** As it is read back. A product may write rows itself: those have what it gave them. */
export type BuildEvent = Omit<NewBuildEvent, 'organizationId' | 'error'> & {
  /** Rises within a build, in the order in which events can be seen. */
  readonly id: number;
  readonly organizationId?: string | undefined;
  readonly error?: StoredError | undefined;
};

/** What stands in the columns: a row of somebody else's may hold a text and no code. */
export type StoredError = {
  readonly code?: string | undefined;
  readonly params?: unknown;
  readonly message?: string | undefined;
  readonly internalMessage?: string | undefined;
};
