// One refused credential: calls fail until the time is over, then one call at a time is the probe.
//
//   refused ─(time over)▶ probing   calls fail until the probe ends, at most for the time of a refusal
//   probing ─▶ refused              the provider refused the probe, too
//           └▶ due                  the probe ended without an outcome for the credential (an invalid request, an abort): the
//                                   next call is the probe, of another organisation if one was refused since
//
// The provider's acceptance of a call ends the refusal: refused-credentials.ts drops it. Bounded: beyond the cap of
// organisations their turns begin anew.

const MAX_ORGANIZATIONS = 1000;

export class CredentialRefusal {
  readonly #refusedMs: number;
  #untilMs: number;
  #probe: { readonly organization: string; readonly callId: string } | undefined;
  /** Organisations with a probe without an outcome, and organisations that were refused since. */
  readonly #probed = new Set<string>();
  readonly #waiting = new Set<string>();

  constructor(refusedMs: number, untilMs: number) {
    this.#refusedMs = refusedMs;
    this.#untilMs = untilMs;
  }

  /** Changes nothing. */
  isActive(now: number): boolean {
    return now < this.#untilMs;
  }

  /** Whether a call must fail; else it is the probe. */
  refuses(organization: string, callId: string, now: number): boolean {
    if (this.isActive(now) || this.#mustYield(organization, now)) {
      if (this.#waiting.size >= MAX_ORGANIZATIONS) this.#waiting.clear();
      this.#waiting.add(organization);
      return true;
    }
    // A probe that has not ended by now had no outcome.
    this.#endProbe();
    this.#probe = { organization, callId };
    this.#untilMs = now + this.#refusedMs;
    return false;
  }

  /** The call has ended without an outcome for the credential. */
  release(callId: string, now: number): void {
    if (this.#probe?.callId !== callId) return;
    this.#endProbe();
    this.#untilMs = now;
  }

  #endProbe(): void {
    if (!this.#probe) return;
    const { organization } = this.#probe;
    if (this.#probed.size >= MAX_ORGANIZATIONS) this.#probed.clear();
    this.#probed.add(organization);
    this.#waiting.delete(organization);
    this.#probe = undefined;
  }

  /** At most for the time of a refusal: the organisation that waits may have left. */
  #mustYield(organization: string, now: number): boolean {
    if (now >= this.#untilMs + this.#refusedMs) return false;
    const hadTurn = (each: string) => this.#probe?.organization === each || this.#probed.has(each);
    if (!hadTurn(organization)) return false;
    for (const other of this.#waiting) if (!hadTurn(other)) return true;
    // All organisations have had their turn.
    this.#probed.clear();
    return false;
  }
}
