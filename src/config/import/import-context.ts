// The context of one import, passed to every rule of a peer's reader.

import type { Credentials } from './credentials.ts';
import type { Draft } from './draft.ts';
import type { Findings } from './findings.ts';

export type ImportContext = {
  readonly findings: Findings;
  readonly draft: Draft;
  readonly credentials: Credentials;
  /** Without folders. */
  readonly fileName: string;
  /** The model names that callers send, for a file that leaves the model to its callers. */
  readonly models: readonly string[];
  /** The value of a variable that holds no secret, such as an address. */
  readonly lookUp: (variable: string) => string | undefined;
};
