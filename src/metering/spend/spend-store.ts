// The port to the readings of money for operators: spending of all organisations by hour and model, and the organisations
// with spending in a month. No decision depends on it. An unavailable store rejects.

export type HourSpend = {
  readonly hourStart: number;
  readonly model: string;
  readonly costNanos: number;
};

export type Spender = {
  readonly organizationId: string;
  readonly name: string;
  readonly timeZone: string;
  readonly budgetNanos: number;
  readonly postedNanos: number;
  readonly reservedNanos: number;
};

export type SpendStore = {
  /** Sums the hour's usage of all organisations anew; repeated calls change nothing. */
  rollUpHour(hourStart: number): Promise<void>;
  /** Spending by hour and model in a range of whole hours, as far as it is rolled up. */
  hours(from: number, to: number): Promise<readonly HourSpend[]>;
  /** As `hours` for one organisation, read from its own roll-ups, by day in UTC and model. */
  organizationDays(organizationId: string, from: number, to: number): Promise<readonly HourSpend[]>;
  /** Organisations with spending in the month, in the order of their ids: one slice after `after`. */
  spenders(month: number, after: string, limit: number): Promise<readonly Spender[]>;
  /** The cost of each organisation since the hour of a timestamp; at most 200 organisations. */
  spentSince(
    organizationIds: readonly string[],
    since: number,
  ): Promise<ReadonlyMap<string, { readonly costNanos: number; readonly firstAt: number }>>;
};
