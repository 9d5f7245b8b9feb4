// The beat of a server in a cluster. The registry of servers and the rate limiter's list of live servers use the same one, so
// that both count the same servers.

export const HEARTBEAT_MS = 2000;

/** A server that has missed three beats is suspected to be dead. */
export const SUSPECTED_AFTER_MS = 3 * HEARTBEAT_MS;
