// `GET /` and `GET /assets/*`: the dashboard's pages. They are public and show no data of the installation; the data
// comes from the admin API. Without a build, `/` explains how to make one.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import type { OperatorSessions } from '../../http/session/operator-sessions.ts';
import { chooseEncoding } from './accepted-encoding.ts';
import type { Asset, FindAsset } from './asset-folder.ts';
import { missingPage } from './missing-page.ts';
import { PAGE_HEADERS } from './page-headers.ts';

/** The names of assets contain a digest of their bytes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export function assetRoutes(
  find: FindAsset,
  sessions: Pick<OperatorSessions, 'assertHost'>,
): RegisterRoutes {
  return (app) => {
    app.get('/', { schema: { hide: true } }, (request, reply) => {
      sessions.assertHost(request.raw);
      reply.headers(PAGE_HEADERS);
      const page = find('index.html');
      if (!page) return reply.code(503).type('text/html; charset=utf-8').send(missingPage());
      return send(page, 'no-cache', request.headers, reply);
    });
    app.get('/assets/*', { schema: { hide: true } }, (request, reply) => {
      sessions.assertHost(request.raw);
      const asset = find((request.url.split('?', 1)[0] ?? '').slice(1));
      if (!asset) throw new SpillwayError('NOT_FOUND', 'no such asset', { params: {} });
      reply.header('x-content-type-options', 'nosniff');
      return send(asset, IMMUTABLE, request.headers, reply);
    });
  };
}

/** The parts of a reply that an asset needs. */
type AssetReply = {
  code(status: number): AssetReply;
  headers(values: Readonly<Record<string, string>>): AssetReply;
  type(contentType: string): AssetReply;
  send(body?: Buffer): AssetReply;
};

type AssetRequestHeaders = {
  readonly 'accept-encoding'?: string | string[];
  readonly 'if-none-match'?: string;
};

function send(
  asset: Asset,
  cacheControl: string,
  headers: AssetRequestHeaders,
  reply: AssetReply,
): AssetReply {
  reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding', etag: asset.etag });
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
  if (known.includes(asset.etag) || known.includes(`W/${asset.etag}`))
    return reply.code(304).send();
  const encoding = chooseEncoding([headers['accept-encoding'] ?? ''].flat().join(','), asset.bytes);
  if (encoding !== 'identity') reply.headers({ 'content-encoding': encoding });
  return reply.type(asset.contentType).send(asset.bytes[encoding] ?? asset.bytes.identity);
}
