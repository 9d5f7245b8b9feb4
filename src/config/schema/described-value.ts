// A value of the effective configuration as shown to an operator, and its group.

import type { Source } from '../config.ts';

export type DescribedValue = {
  readonly key: string;
  /** Undefined if not set; `whenUnset` then describes the effect. */
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
