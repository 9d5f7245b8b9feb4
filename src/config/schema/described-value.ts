// A value of the effective configuration in the form a person reads, and the group it is read in.

import type { Source } from '../config.ts';

export type DescribedValue = {
  readonly key: string;
  /** Absent when it is not set; then `whenUnset` says what happens. */
  readonly value: string | undefined;
  readonly whenUnset: string | undefined;
  readonly source: Source;
  readonly variable: string | undefined;
};

export type DescribedGroup = {
  readonly path: string;
  readonly about: string;
  readonly values: readonly DescribedValue[];
};
