// An `Upstream` that sends each call directly or through a proxy, by the proxy rule. Upstreams for proxies are opened on
// first use, one per proxy.

import type { ProxyRule } from './proxy-rule.ts';
import type { Upstream } from './upstream.ts';

export type ProxiedUpstreamParts = {
  readonly rule: ProxyRule;
  readonly direct: Upstream;
  readonly openThrough: (proxyUrl: string) => Upstream;
};

export function createProxiedUpstream({
  rule,
  direct,
  openThrough,
}: ProxiedUpstreamParts): Upstream {
  const byOrigin = new Map<string, Upstream>();
  const byProxy = new Map<string, Upstream>();

  function routeTo(origin: string): Upstream {
    const proxyUrl = rule(origin);
    const route =
      proxyUrl === undefined ? direct : (byProxy.get(proxyUrl) ?? openThrough(proxyUrl));
    if (proxyUrl !== undefined) byProxy.set(proxyUrl, route);
    byOrigin.set(origin, route);
    return route;
  }

  return {
    send(request, listener) {
      const route = byOrigin.get(request.origin) ?? routeTo(request.origin);
      return route.send(request, listener);
    },
    async close() {
      await Promise.all([direct, ...byProxy.values()].map((upstream) => upstream.close()));
    },
  };
}
