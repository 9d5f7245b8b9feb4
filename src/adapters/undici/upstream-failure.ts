// Translates undici's errors to the failures that adapters/http1 reports, so that the error mapping treats both alike. A
// parser error of undici carries the received bytes; the translated failure carries none of them.

/** The name that browsers give a rejected proxy credential; no retry can help. */
const PROXY_CREDENTIALS = 'ERR_PROXY_AUTH_REQUESTED';
const TUNNEL_REFUSED = 'ERR_TUNNEL_CONNECTION_FAILED';
const MALFORMED = 'HPE_INVALID_CONSTANT';

export function toUpstreamFailure(error: Error): Error {
  const code = 'code' in error ? error.code : undefined;
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return coded('the response is not HTTP/1.1', MALFORMED);
  // Header timeouts are enabled for CONNECT requests only.
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return coded('connecting through the proxy took too long', 'UND_ERR_CONNECT_TIMEOUT');
  const status = PROXY_STATUS.exec(error.message)?.[1];
  if (status !== undefined) return refusedByProxy(status);
  return error;
}

/** undici reports a refused CONNECT and a 407 of a forwarding proxy only in the error message. */
const PROXY_STATUS = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

function refusedByProxy(status: string): Error {
  const message = `the proxy refused the request with status ${status}`;
  return coded(message, status === '407' ? PROXY_CREDENTIALS : TUNNEL_REFUSED);
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
