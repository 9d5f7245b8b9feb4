// A small shop with an assistant. Its server has the key of Spillway; the page talks to this server alone. Spillway runs as
// a child process on its built-in simulator, so that the example needs neither a key nor money.

import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { bundlePage } from './bundle-page.ts';
import { createShop } from './shop.ts';
import { startSpillway } from './spillway.ts';

const repository = resolve(import.meta.dirname, '../../..');
const dataDir = process.env['SHOP_DATA_DIR'] ?? join(repository, '.spillway', 'shop-assistant');
const port = Number(process.env['PORT'] ?? 8790);

const files = await bundlePage(join(import.meta.dirname, '..', 'page'), join(repository, 'src'));
const spillway = await startSpillway(join(repository, 'bin', 'spillway.mjs'), dataDir);
const server = createServer(createShop(files, spillway));

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  const listening = typeof address === 'object' && address ? address.port : port;
  console.log(`The shop is open on http://127.0.0.1:${listening}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
    void spillway.close();
  });
