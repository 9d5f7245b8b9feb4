// A server that is measured: where it listens, whose CPU time counts, and what a caller must send to be let in.

export type Subject = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Where callers take turns with several keys; the first one stands in the headers. */
  readonly keys?: readonly string[];
  /** Ends it before its row ends; at the end of the row that is done anyway. */
  stop(): Promise<void>;
};
