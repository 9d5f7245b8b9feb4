// A client as its user runs it: an SDK in a program of a few lines, or a command-line agent. Each run is a process of its
// own with its default retries and timeouts, in a home folder of its own.

export type ProviderName = 'anthropic' | 'openai' | 'gemini';

/** The provider itself, or Spillway in front of it. */
export type Endpoint = {
  /** The origin, without a path. */
  readonly url: string;
  readonly apiKey: string;
};

export type Run = {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly isStream: boolean;
  /** Requests in a row, each with a prompt of its own. */
  readonly requests: number;
  /** An agent's prompt, in place of its usual one. */
  readonly prompt?: string;
  /** The agent continues the last conversation of its home folder. */
  readonly isContinued?: boolean;
  /** The home folder and working directory of the process. */
  readonly home: string;
  /** The folder with the installed agents and the Python environment. */
  readonly cache: string;
};

export type Command = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export type Ended = {
  /** Undefined: stopped at the time limit. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

/** What the user sees. */
export type Sight = {
  readonly outcome: 'answer' | 'error' | 'waiting';
  /** The error class of an SDK. */
  readonly errorClass?: string;
  /** The names of its class and of the classes above it. */
  readonly ancestors?: readonly string[];
  readonly text: string;
  /** The duration of the longest request, where the client measures it; else that of the process counts. */
  readonly callSeconds?: number;
};

export type Client = {
  readonly name: string;
  readonly kind: 'sdk' | 'python' | 'agent';
  readonly provider: ProviderName;
  readonly model: string;
  /** Makes a single attempt by default. */
  readonly isSingleAttempt?: boolean;
  /** The package that is installed on demand. */
  readonly install?:
    | { readonly npm: string; readonly bin: string }
    /** `venv` is the folder of a Python environment other than the common one. */
    | { readonly pip: string; readonly venv?: string };
  /** Writes the files of the client into `home` and returns its command. */
  prepare(run: Run): Command;
  read(ended: Ended): Sight;
};
