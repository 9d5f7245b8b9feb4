// The load of the row `jobs`, identical for every subject.

/** Messages in flight on each hop. */
export const IN_HAND = 128;
/** With its id, a message of about 1 KiB. */
export const PROMPT = 'Hello '.repeat(165);
