// Closes resources once, in reverse order of opening; each step waits for its work in flight.
// States: open → closing → closed. A failed step does not prevent the remaining steps.

export type Lifecycle = {
  /** Registers a step of the shutdown; steps run last-registered-first. */
  onClose(name: string, step: () => Promise<void> | void): void;
  /** Idempotent: every call gets the same promise. Rejects with the failures of all steps. */
  close(): Promise<void>;
};

export function createLifecycle(): Lifecycle {
  const steps: { name: string; step: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;

  async function runSteps(): Promise<void> {
    const failures: Error[] = [];
    for (let entry = steps.pop(); entry; entry = steps.pop()) {
      try {
        await entry.step();
      } catch (cause) {
        failures.push(new Error(`closing ${entry.name} failed`, { cause }));
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }

  return {
    onClose(name, step) {
      if (closing) throw new Error(`${name} was opened while closing`);
      steps.push({ name, step });
    },
    close() {
      closing ??= runSteps();
      return closing;
    },
  };
}
