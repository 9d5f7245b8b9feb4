// What a flow needs of the connection to the caller. The HTTP layer implements it; a test can too.

export type Reply = {
  /** Status and headers (names and values in turn); once, before any byte. */
  begin(status: number, headers: string[]): void;
  /** False when the caller reads more slowly than we write: wait until told that it has drained. */
  write(chunk: Buffer): boolean;
  end(chunk?: Buffer | string): void;
};
