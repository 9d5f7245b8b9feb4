// How one server is run privately: everything that differs between the three, so that starting, killing,
// freezing and cleaning is written once (private-server.ts).

export type ServerPlan = {
  /** As in messages: "Redis". */
  title: string;
  /** With credentials made for this run, so that a stranger on the same port cannot be taken for it. */
  url: string;
  port: number;
  /** Working directory of every process of this server, and of no other; its log lies in it too. */
  folder: string;
  /** Makes folders, configuration and the first data; told again after a wipe. */
  prepare(run: RunToEnd): Promise<void>;
  command(): Command;
  /** Rejects until the server does its work; must not succeed against anybody else's server. */
  probe(): Promise<void>;
  /** Removes what the server stored; it is not running. */
  clear(): Promise<void>;
  /** The process that is the server, when the one we start is only a script around it. */
  mainCommand?: string;
  /** Stops it with its data safe. */
  stopSignal: NodeJS.Signals;
  /** Ends it when nobody needs the data any more. */
  endSignal: 'SIGKILL' | 'SIGQUIT';
};

export type Command = {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The user to run as, where the server refuses to be root. */
  owner?: Owner;
};

export type Owner = { uid: number; gid: number };

/** Runs a preparing program; rejects with the end of its output when it fails. */
export type RunToEnd = (command: Command) => Promise<void>;
