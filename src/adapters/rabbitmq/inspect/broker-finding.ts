// What a look at the broker finds, in sentences for an operator: what is so, and for what is wrong, how to mend it.

export type BrokerFinding =
  | { readonly status: 'ok'; readonly queue?: string; readonly sentence: string }
  | {
      readonly status: 'warning' | 'failed';
      readonly queue?: string;
      readonly sentence: string;
      readonly mend: string;
    };

export function fine(queue: string, sentence: string): BrokerFinding {
  return { status: 'ok', queue, sentence };
}

export function doubtful(queue: string, sentence: string, mend: string): BrokerFinding {
  return { status: 'warning', queue, sentence, mend };
}

export function wrong(queue: string, sentence: string, mend: string): BrokerFinding {
  return { status: 'failed', queue, sentence, mend };
}
