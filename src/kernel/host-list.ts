// A URL with several hosts, such as the URL of a Redis behind Sentinels:
// `scheme://user:password@host:port,host:port/path`. `URL` itself accepts a single host.

export type HostListUrl = {
  /** The URL with its first host only. */
  readonly url: URL;
  /** Every host with its port, in order. */
  readonly hosts: readonly string[];
};

const PARTS = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*@)?([^/?#@]+)(.*)$/is;

/** Undefined if the text or a host in it is malformed. */
export function parseHostList(text: string): HostListUrl | undefined {
  const [, scheme = '', credentials = '', list = '', rest = ''] = PARTS.exec(text) ?? [];
  const hosts = list.split(',');
  const urls = hosts.flatMap((host) => URL.parse(`${scheme}${credentials}${host}${rest}`) ?? []);
  const [url] = urls;
  if (!url || urls.length < hosts.length || urls.some(({ hostname }) => hostname === ''))
    return undefined;
  return { url, hosts: urls.map(({ host }) => host) };
}
