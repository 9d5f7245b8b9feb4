// What a test holds of one server. A private one may be killed, frozen and wiped; one that was named by the
// environment belongs to somebody else, and asking for any of that is refused with a sentence.

import { canConnect } from './plans/conversation.ts';
import { CATALOGUE, type ServerName } from './service-catalogue.ts';

export type ServiceHandle = {
  readonly title: string;
  readonly url: string;
  /** False when the environment named it: then only the URL may be used. */
  readonly isPrivate: boolean;
  /** Of the server itself, not of a script around it; undefined while it is down. */
  readonly pid: number | undefined;
  /** Rejects unless the server does its work now. */
  ping(): Promise<void>;
  /** SIGKILL takes the whole server and waits until it is gone; others are only sent to its main process. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** An orderly end, data kept (Redis keeps none). */
  stop(): Promise<void>;
  /** Stops it if it runs, and starts it on the same port with the same data. */
  restart(): Promise<void>;
  /** Ends it, throws its data away and starts it empty, on the same port with the same password. */
  wipe(): Promise<void>;
  /** The server stops answering but keeps its connections, as a hung one does. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
};

/** The server that the environment names. Refuses one that is not there, before a test hangs on it. */
export async function givenService(name: ServerName, url: string): Promise<ServiceHandle> {
  const { title, variable } = CATALOGUE[name];
  const address = addressOf(url, variable);
  const refuse = (): Promise<never> =>
    Promise.reject(new Error(`${variable} was given, so this ${title} is not ours to touch.`));
  const ping = async () => {
    if (await canConnect(address)) return;
    const place = `${address.host}:${address.port}`;
    throw new Error(
      `${variable} names a ${title} on ${place}, where nothing accepts a connection.`,
    );
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

/** The URL holds a password, so a message about it does not repeat it. */
function addressOf(url: string, variable: string): { host: string; port: number } {
  const parsed = URL.parse(url);
  const defaultPort = parsed ? DEFAULT_PORTS[parsed.protocol] : undefined;
  if (!parsed || defaultPort === undefined)
    throw new Error(`${variable} is not a URL of one of ${Object.keys(DEFAULT_PORTS).join(' ')}`);
  const host = parsed.hostname.replace(/^\[|\]$/g, '') || 'localhost';
  return { host, port: parsed.port === '' ? defaultPort : Number(parsed.port) };
}
