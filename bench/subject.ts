// A measured server: its port, the process with the measured CPU time, and the headers that authenticate a caller.

export type Subject = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Where callers take turns with several keys; the first one stands in the headers. */
  readonly keys?: readonly string[];
  /** Its own request and the size of the answer, where they differ from the other subject's. */
  readonly call?: { readonly request: string; readonly expectedBytes: number };
  /** Ends it before its row ends; at the end of the row that is done anyway. */
  stop(): Promise<void>;
};
