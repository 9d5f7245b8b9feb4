// A test's handle on one server. A private server can be killed, frozen and wiped; a server named by the
// environment cannot, and those calls reject with a message.

import { canConnect } from './plans/probe-connection.ts';
import { CATALOGUE, type ServerName } from './service-catalogue.ts';

export type ServiceHandle = {
  readonly title: string;
  readonly url: string;
  /** False if the environment named the server: then only the URL may be used. */
  readonly isPrivate: boolean;
  /** Of the server itself, not of a wrapper script; undefined while it is down. */
  readonly pid: number | undefined;
  /** Rejects unless the server is ready. */
  ping(): Promise<void>;
  /** SIGKILL ends the whole server and waits for it; other signals go to its main process only. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** A clean shutdown that keeps the data (Redis has none on disk). */
  stop(): Promise<void>;
  /** Stops the server if it runs, and starts it on the same port with the same data. */
  restart(): Promise<void>;
  /** Ends the server, deletes its data and starts it empty, on the same port with the same password. */
  wipe(): Promise<void>;
  /** The server stops answering but keeps its connections, like a hung process. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
};

/** The server that the environment names. Rejects if it is unreachable, before a test hangs on it. */
export async function namedService(name: ServerName, url: string): Promise<ServiceHandle> {
  const { title, variable } = CATALOGUE[name];
  const address = addressOf(url, variable);
  const refuse = (): Promise<never> =>
    Promise.reject(new Error(`${variable} names this ${title}, so the tests must not change it.`));
  const ping = async () => {
    if (await canConnect(address)) return;
    const place = `${address.host}:${address.port}`;
    throw new Error(`${variable} names a ${title} on ${place}, which accepts no connection.`);
  };
  await ping();
  return Object.freeze({
    title,
    url,
    isPrivate: false,
    pid: undefined,
    ping,
    kill: refuse,
    stop: refuse,
    restart: refuse,
    wipe: refuse,
    freeze: refuse,
    thaw: refuse,
  });
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'redis:': 6379,
  'rediss:': 6379,
  'amqp:': 5672,
  'amqps:': 5671,
  'postgres:': 5432,
  'postgresql:': 5432,
};

/** The URL holds a password, so messages do not repeat it. */
function addressOf(url: string, variable: string): { host: string; port: number } {
  const parsed = URL.parse(url);
  const defaultPort = parsed ? DEFAULT_PORTS[parsed.protocol] : undefined;
  if (!parsed || defaultPort === undefined)
    throw new Error(`${variable} is not a URL of one of ${Object.keys(DEFAULT_PORTS).join(' ')}`);
  const host = parsed.hostname.replace(/^\[|\]$/g, '') || 'localhost';
  return { host, port: parsed.port === '' ? defaultPort : Number(parsed.port) };
}
