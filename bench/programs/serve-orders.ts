// The other side of child-program.ts: a bench program answers orders over IPC, one reply each, and exits with its
// parent, so that no run leaves a process behind.

export type Orders = Readonly<Record<string, (args: unknown) => unknown>>;

export function serveOrders(orders: Orders): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: unknown) => {
    const { id, order, args } = parseOrder(message);
    const handle = orders[order];
    Promise.try(() => {
      if (!handle) throw new Error(`There is no order ${order}`);
      return handle(args);
    }).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
  });
}

function parseOrder(message: unknown): { id: number; order: string; args: unknown } {
  if (typeof message !== 'object' || message === null) throw new Error('Not an order');
  const { id, order, args } = message as { id?: unknown; order?: unknown; args?: unknown };
  if (typeof id !== 'number' || typeof order !== 'string') throw new Error('Not an order');
  return { id, order, args };
}
