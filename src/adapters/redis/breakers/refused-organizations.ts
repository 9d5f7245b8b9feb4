// Some organisations with a call since this server's last claim of a probe. They travel with the next claim, so that
// organisations on different servers take turns.

const MAX_REFUSED = 8;

export class RefusedOrganizations {
  readonly #names = new Set<string>();

  note(organization: string | undefined): void {
    if (organization !== undefined && this.#names.size < MAX_REFUSED) this.#names.add(organization);
  }

  take(): readonly string[] {
    const names = [...this.#names];
    this.#names.clear();
    return names;
  }
}
