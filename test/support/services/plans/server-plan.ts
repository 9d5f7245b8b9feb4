// The plan of a private server: everything that differs between the three servers, so that starting, killing,
// freezing and cleaning are written once (private-server.ts).

export type ServerPlan = {
  /** The name for messages, such as "Redis". */
  title: string;
  /**
   * With credentials generated for this run, so that another server on the same port is not mistaken for it.
   */
  url: string;
  port: number;
  /** Working directory of every process of this server and of no other; it also holds the log. */
  folder: string;
  /** Creates folders, configuration and initial data; called again after a wipe. */
  prepare(run: RunToEnd): Promise<void>;
  command(): Command;
  /** Rejects until the server is ready; must not succeed against another server. */
  probe(): Promise<void>;
  /** Removes the stored data while the server is down. */
  clear(): Promise<void>;
  /** The command of the server process, if the started process is only a wrapper script. */
  mainCommand?: string;
  /** Stops the server with its data safe. */
  stopSignal: NodeJS.Signals;
  /** Ends the server when its data is not needed. */
  endSignal: 'SIGKILL' | 'SIGQUIT';
};

export type Command = {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The user to run as, if the server refuses to run as root. */
  owner?: Owner;
};

export type Owner = { uid: number; gid: number };

/** Runs a preparation program; rejects with the end of its output if it fails. */
export type RunToEnd = (command: Command) => Promise<void>;
