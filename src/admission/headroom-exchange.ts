// The port by which servers tell each other how much room is left below providers' limits. What is told is the latest
// and nobody depends on it: a message that is lost is made good by the next answer of the provider.

import type { HeadroomGauges } from './headroom-headers.ts';

/** Where a provider counts: limits are of an account, and most of them of a model. */
export type HeadroomPlace = {
  readonly provider: string;
  readonly account: string;
  readonly region: string;
  readonly model: string;
};

export type HeadroomNews = {
  readonly place: HeadroomPlace;
  readonly gauges: HeadroomGauges;
  /** When the provider said so, in epoch milliseconds of this server. */
  readonly readAt: number;
};

export type HeadroomExchange = {
  /** Never waits and never fails; told more often than others need to know, it leaves some out. */
  tell(news: HeadroomNews): void;
  /** Of the others alone. Resolves when what they know was heard, or when they cannot be reached. */
  listen(hear: (news: HeadroomNews) => void): Promise<void>;
  close(): Promise<void>;
};
