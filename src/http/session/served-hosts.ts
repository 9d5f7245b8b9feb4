// The `Host` headers under which the dashboard answers. A server on a loopback address answers only under loopback names and
// under the host of SERVER_URL: a foreign page under a name that resolves to 127.0.0.1 (DNS rebinding) gets nothing. A server
// on another address may have any name.

export type ServesHost = (host: string | undefined) => boolean;

export function createHostRule(options: {
  /** The address that the server listens on. */
  readonly listensOn: string;
  readonly serverUrl: string | undefined;
}): ServesHost {
  if (!isLoopbackName(options.listensOn)) return (host) => host !== undefined && host !== '';
  const own = options.serverUrl === undefined ? undefined : new URL(options.serverUrl).hostname;
  return (host) => {
    const name = hostName(host);
    return name !== undefined && (isLoopbackName(name) || name === own);
  };
}

/** The name of `Host` without its port; undefined if it is malformed. */
function hostName(host: string | undefined): string | undefined {
  if (host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)) return undefined;
  return URL.parse(`http://${host}`)?.hostname;
}

function isLoopbackName(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return (
    plain === 'localhost' ||
    plain.endsWith('.localhost') ||
    plain === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(plain)
  );
}
