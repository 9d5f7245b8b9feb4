// The load of the row `jobs`, the same for whoever works it off.

/** Messages that are in hand on each hop. */
export const IN_HAND = 128;
/** With its id, a message of about 1 KiB. */
export const PROMPT = 'Hello '.repeat(165);
