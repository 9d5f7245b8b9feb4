// The port to the cluster's current figures, against which the alert rules are evaluated.

import type { AlertName } from '../kernel/notify/alert-name.ts';

export type Figure = {
  /** Undefined for a figure of the whole cluster. */
  readonly subject?: string | undefined;
  readonly value: number;
};

/**
 * The figures by alert. A subject that is not listed has the value 0. An alert without an entry has no known value: its
 * state stays as it is.
 */
export type FigureReading = ReadonlyMap<AlertName, readonly Figure[]>;

export type AlertFigures = {
  /** Every server calls it with each evaluation, so that its own counts cover the whole window when it becomes the leader. */
  observe(): void;
  /** Never rejects: the reading omits the figures of an unavailable source. */
  read(): Promise<FigureReading>;
};
