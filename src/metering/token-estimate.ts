// How many tokens are so many bytes? About a quarter of them, and better than that once a model's own answers
// have taught it: each reported usage moves the model's ratio a little. Used where a number is needed before
// the provider says one (the reservation of a rate limit) or where it never does (a stream that was cut); what
// is charged by it is marked as estimated. Nothing is kept: after a restart it learns again.

import { NO_USAGE, type Usage } from '../kernel/usage.ts';

export type TokenEstimator = {
  inputTokens(model: string, bytes: number): number;
  outputTokens(model: string, bytes: number): number;
  /** The provider has counted; bytes of which nothing is known are 0. */
  learn(model: string, inputBytes: number, outputBytes: number, usage: Usage): void;
  /**
   * The usage of an answer whose end never came: what the provider did say, and estimates for the rest. A count
   * told early in a stream is a part of the truth, so an output estimate above it wins.
   */
  complete(
    model: string,
    inputBytes: number,
    outputBytes: number,
    known: Usage | undefined,
  ): EstimatedUsage;
};

export type EstimatedUsage = { readonly usage: Usage; readonly estimated: true };

export function createTokenEstimator(): TokenEstimator {
  return new LearningEstimator();
}

const TOKENS_PER_BYTE = 1 / 4;
/** One token per byte is as dense as text gets; pictures and numbers can be far thinner. */
const DENSEST = 1;
const THINNEST = 1 / 16;
/** The weight of one answer. */
const WEIGHT = 0.05;
/** Shorter texts are mostly envelope and teach nothing. */
const SHORTEST_LESSON_BYTES = 200;
/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_MODELS = 1000;

type Ratios = { input: number; output: number };

class LearningEstimator implements TokenEstimator {
  readonly #byModel = new Map<string, Ratios>();

  inputTokens(model: string, bytes: number): number {
    return Math.ceil(bytes * (this.#byModel.get(model)?.input ?? TOKENS_PER_BYTE));
  }

  outputTokens(model: string, bytes: number): number {
    return Math.ceil(bytes * (this.#byModel.get(model)?.output ?? TOKENS_PER_BYTE));
  }

  learn(model: string, inputBytes: number, outputBytes: number, usage: Usage): void {
    const ratios = this.#ratios(model);
    const inputTokens = totalInput(usage);
    ratios.input = moved(ratios.input, inputTokens, inputBytes);
    // Reasoning that is not shown has tokens but no bytes.
    ratios.output = moved(ratios.output, usage.outputTokens - usage.reasoningTokens, outputBytes);
  }

  complete(
    model: string,
    inputBytes: number,
    outputBytes: number,
    known: Usage | undefined,
  ): EstimatedUsage {
    const outputTokens = this.outputTokens(model, outputBytes);
    const usage = known ?? { ...NO_USAGE, inputTokens: this.inputTokens(model, inputBytes) };
    return {
      usage: { ...usage, outputTokens: Math.max(usage.outputTokens, outputTokens) },
      estimated: true,
    };
  }

  #ratios(model: string): Ratios {
    const known = this.#byModel.get(model);
    if (known) return known;
    if (this.#byModel.size >= REMEMBERED_MODELS) this.#byModel.clear();
    const fresh = { input: TOKENS_PER_BYTE, output: TOKENS_PER_BYTE };
    this.#byModel.set(model, fresh);
    return fresh;
  }
}

function totalInput(usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  return inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
}

function moved(ratio: number, tokens: number, bytes: number): number {
  if (!(bytes >= SHORTEST_LESSON_BYTES) || !(tokens > 0)) return ratio;
  const seen = Math.min(Math.max(tokens / bytes, THINNEST), DENSEST);
  return ratio + WEIGHT * (seen - ratio);
}
