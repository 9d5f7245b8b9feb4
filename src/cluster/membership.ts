// This server's membership in the registry.
// States: joining → member → left; joining and member → displaced (another incarnation of this id sends heartbeats) → member.
// At the start a displaced server refuses to run. Later, after a freeze during which another process took over the id, it
// reports itself as displaced and accepts no requests until the other process has left. While the registry is unavailable
// the state stays as it is.

import { type Clock, sleep } from '../kernel/clock.ts';
import { every, type Repetition } from '../kernel/every.ts';
import { HEARTBEAT_MS, SUSPECTED_AFTER_MS } from '../kernel/heartbeat.ts';
import type { Log } from '../kernel/log.ts';
import type { ServerMode, ServerRecord } from './server-record.ts';
import type { Announcement, ServerRegistry } from './server-registry.ts';

export type MembershipParts = {
  readonly registry: ServerRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly self: Pick<ServerRecord, 'id' | 'incarnation'>;
  /** The rest of the record, as it is now. */
  describe(): Promise<Omit<ServerRecord, 'id' | 'incarnation' | 'isMaintenanceMode'>>;
  /** The mode that an operator wants; called on each change. */
  onMode(mode: ServerMode): void;
  onDisplaced(isDisplaced: boolean): void;
};

/** The id belongs to another server that is alive. */
export class ServerIdInUse extends Error {}

export class Membership {
  readonly #parts: MembershipParts;
  #state: 'joining' | 'member' | 'displaced' | 'left' = 'joining';
  #mode: ServerMode = 'active';
  /** The first heartbeat seen of another incarnation; a later one proves that it lives. */
  #otherBeatAt: number | undefined;
  #beating: Repetition | undefined;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  get mode(): ServerMode {
    return this.#mode;
  }

  /** Resolves when this server has its id, or when the registry is unavailable. Throws `ServerIdInUse`. */
  async join(): Promise<void> {
    const { clock, registry, self } = this.#parts;
    for (let answer = await this.#announce(); answer?.kind === 'occupied'; ) {
      if (this.#isAlive(answer))
        throw new ServerIdInUse(
          `The id ${self.id} belongs to another running server; give each server its own SERVER_ID.`,
        );
      const waitMs = answer.lastHeartbeat + SUSPECTED_AFTER_MS - answer.now;
      await sleep(clock, Math.max(0, waitMs) + MARGIN_MS);
      answer = await this.#announce();
    }
    this.#beating = every(
      clock,
      () => HEARTBEAT_MS * (1 - JITTER * clock.random()),
      () => this.beat(),
    );
    await registry.follow(() => void this.beat());
  }

  /** Announces this server now; never rejects. */
  async beat(): Promise<void> {
    if (this.#state === 'left') return;
    const answer = await this.#announce();
    if (answer?.kind === 'occupied' && this.#isAlive(answer)) this.#displace();
  }

  /** Withdraws the record. Idempotent. */
  async leave(): Promise<void> {
    if (this.#state === 'left') return;
    this.#state = 'left';
    await this.#beating?.close();
    await this.#parts.registry.withdraw(this.#parts.self).catch(() => {});
  }

  /** Undefined if the registry is unavailable: the next beat announces again. */
  async #announce(): Promise<Announcement | undefined> {
    const { registry, self } = this.#parts;
    try {
      const described = await this.#parts.describe();
      // An announcement after the withdrawal would leave a record without a server.
      if (this.#state === 'left') return undefined;
      const isMaintenanceMode = this.#mode === 'maintenance';
      const answer = await registry.announce({ ...described, ...self, isMaintenanceMode });
      if (answer.kind === 'accepted') this.#accept(answer.mode);
      return answer;
    } catch {
      return undefined;
    }
  }

  #accept(mode: ServerMode): void {
    if (this.#state === 'left') return;
    this.#otherBeatAt = undefined;
    if (this.#state === 'displaced') this.#restore();
    this.#state = 'member';
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#parts.onMode(mode);
    // The record shows the new mode immediately instead of at the next beat.
    void this.beat();
  }

  #isAlive({ lastHeartbeat }: { readonly lastHeartbeat: number }): boolean {
    this.#otherBeatAt ??= lastHeartbeat;
    return lastHeartbeat > this.#otherBeatAt;
  }

  #displace(): void {
    if (this.#state === 'displaced') return;
    this.#state = 'displaced';
    this.#log('critical', 'another process has this server id: this one accepts no requests');
    this.#parts.onDisplaced(true);
  }

  #restore(): void {
    this.#log('info', 'this process has its server id again and accepts requests');
    this.#parts.onDisplaced(false);
  }

  #log(level: 'critical' | 'info', message: string): void {
    const { id: serverId } = this.#parts.self;
    this.#parts.log.write({ level, type: 'capacity', message, metadata: { serverId } });
  }
}

/** The share by which an interval varies, so that servers that start together do not all announce at the same time. */
const JITTER = 0.1;
/** The registry's clock and this one may run at slightly different speeds. */
const MARGIN_MS = 50;
