// A measured server: its port, the process with the measured CPU time, and the headers that authenticate a caller.

export type Subject = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Several keys with which callers take turns; `headers` has the first one. */
  readonly keys?: readonly string[];
  /** The subject's request and the size of its answer, where they differ from the other subject's. */
  readonly call?: { readonly request: string; readonly expectedBytes: number };
  /** Stops the server before the end of its row; otherwise the stage stops it at the end. */
  stop(): Promise<void>;
};
