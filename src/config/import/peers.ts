// The gateway products from which a configuration can be imported.

export const PEERS = ['litellm', 'portkey', 'bifrost'] as const;
export type Peer = (typeof PEERS)[number];
