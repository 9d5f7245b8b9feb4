// The registry of servers on Redis: one key per server that expires, and an index by last heartbeat, so that no reader
// scans the key space. After Redis has lost its data, every live server is registered again within one beat.

import type { ServerMode } from '../../../cluster/server-record.ts';
import type { Announcement, ServerRegistry } from '../../../cluster/server-registry.ts';
import { SUSPECTED_AFTER_MS } from '../../../kernel/heartbeat.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { runScript } from '../connection/redis-script.ts';
import { decodeRecord, encodeOpenRecord } from './registry-record.ts';
import { ACQUIRE_LEASE, ANNOUNCE, SET_MODE, WITHDRAW } from './registry-scripts.ts';

export type RedisServerRegistryParts = {
  readonly link: RedisLink;
  readonly keyPrefix: string;
  readonly lifetimeMs: number;
};

/** Longer than any maintenance; renewed by every beat of the server. */
const MODE_LIFETIME_MS = 30 * 86_400_000;

export function createRedisServerRegistry(parts: RedisServerRegistryParts): ServerRegistry {
  const { link, keyPrefix, lifetimeMs } = parts;
  const infoKey = (id: string) => `${keyPrefix}servers:info:${id}`;
  const modesKey = `${keyPrefix}servers:modes`;
  const indexKey = `${keyPrefix}servers:index`;
  const channel = `${keyPrefix}servers:changed`;
  let isClosed = false;

  return {
    async announce(record) {
      const { id, incarnation } = record;
      const answer = await link.runInBackground((redis) =>
        runScript(
          redis,
          ANNOUNCE,
          [infoKey(id), indexKey, modesKey],
          [
            id,
            incarnation,
            encodeOpenRecord(record),
            SUSPECTED_AFTER_MS,
            lifetimeMs,
            MODE_LIFETIME_MS,
          ],
        ),
      );
      return announcementOf(answer);
    },
    async withdraw({ id, incarnation }) {
      await link.runInBackground((redis) =>
        runScript(redis, WITHDRAW, [infoKey(id), indexKey], [id, incarnation]),
      );
    },
    async list() {
      const [[seconds, micros], ids] = await link.runInBackground((redis) =>
        Promise.all([redis.time(), redis.zrange(indexKey, '0', '-1')]),
      );
      const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
      if (ids.length === 0) return { now, servers: [] };
      const [texts, modes] = await link.runInBackground((redis) =>
        Promise.all([redis.mget(ids.map(infoKey)), redis.hmget(modesKey, ...ids)]),
      );
      const servers = texts.flatMap((text, index) => {
        const server = decodeRecord(text);
        if (!server) return [];
        const [mode, incarnation] = (modes[index] ?? '').split(' ');
        const isWanted = incarnation === server.incarnation;
        return [
          {
            ...server,
            isMaintenanceMode: server.isMaintenanceMode || mode === 'maintenance',
            isDraining: server.isDraining || (isWanted && mode === 'draining'),
          },
        ];
      });
      return { now, servers: servers.toSorted((a, b) => a.id.localeCompare(b.id)) };
    },
    async setMode(id, mode) {
      const isKnown = await link.runInBackground((redis) =>
        runScript(redis, SET_MODE, [infoKey(id), modesKey], [mode, MODE_LIFETIME_MS, channel, id]),
      );
      return isKnown === 1;
    },
    async follow(onNotice) {
      const notify = () => {
        if (!isClosed) onNotice();
      };
      link.onUp(notify);
      await link.subscribe(channel, { onMessage: notify, onSubscribed: notify });
    },
    async acquireLease(name, holder, ttlMs) {
      const isHeld = await link.runInBackground((redis) =>
        runScript(redis, ACQUIRE_LEASE, [`${keyPrefix}servers:lease:${name}`], [holder, ttlMs]),
      );
      return isHeld === 1;
    },
    async close() {
      isClosed = true;
    },
  };
}

function announcementOf(answer: unknown): Announcement {
  if (Array.isArray(answer)) {
    const [lastHeartbeat, now] = answer.map(Number);
    return { kind: 'occupied', lastHeartbeat: lastHeartbeat ?? 0, now: now ?? 0 };
  }
  return { kind: 'accepted', mode: modeOf(answer) };
}

function modeOf(answer: unknown): ServerMode {
  return answer === 'maintenance' || answer === 'draining' ? answer : 'active';
}
