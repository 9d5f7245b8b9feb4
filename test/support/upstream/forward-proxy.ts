// An HTTP proxy on loopback: forwards absolute-form requests and tunnels CONNECT. It relays the provider's bytes
// unparsed, so that hostile responses and closed connections reach the client as the provider sent them.

import { connect, type Socket } from 'node:net';
import { onRequests, type RawServer, startSocketServer } from './raw-server.ts';

export type ForwardProxy = RawServer & {
  /** The request lines that arrived, such as `CONNECT localhost:443 HTTP/1.1`. */
  readonly requestLines: readonly string[];
};

export type ForwardProxyOptions = {
  /** `user:password`; requests without it get a 407. */
  readonly credentials?: string;
};

const REFUSED = 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n';

export async function startForwardProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const requestLines: string[] = [];
  const server = await startSocketServer((client) => {
    let provider: Socket | undefined;
    onRequests(client, (text) => {
      const line = text.slice(0, text.indexOf('\r\n'));
      requestLines.push(line);
      if (!isAuthorized(text, options.credentials)) client.write(REFUSED);
      else if (line.startsWith('CONNECT ')) tunnel(client, line);
      else provider = forward(client, provider, text);
    });
  });
  return { ...server, requestLines };
}

function isAuthorized(text: string, credentials: string | undefined): boolean {
  if (credentials === undefined) return true;
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return /^proxy-authorization: (.*)$/im.exec(text)?.[1]?.trim() === expected;
}

function tunnel(client: Socket, line: string): void {
  const [, host = '', port = ''] = /^CONNECT (.+):(\d+) /.exec(line) ?? [];
  client.removeAllListeners('data');
  const provider = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(provider);
  });
  relay(provider, client);
}

/** One connection to the provider per connection of the client. */
function forward(client: Socket, known: Socket | undefined, text: string): Socket {
  const [, host = '', port = '80'] = /^\w+ http:\/\/([^/:]+)(?::(\d+))?\//.exec(text) ?? [];
  const provider = known && !known.destroyed ? known : connect(Number(port), host);
  if (provider !== known) relay(provider, client);
  provider.write(text.replace(/^(\w+) http:\/\/[^/]+/, '$1 '), 'latin1');
  return provider;
}

function relay(provider: Socket, client: Socket): void {
  provider.pipe(client);
  provider.on('error', () => client.resetAndDestroy());
  provider.on('close', () => client.destroySoon());
  client.on('close', () => provider.destroy());
}
