// The text of answers: a few sentences that repeat the topic of the prompt, identical for the same prompt.

import { capToBytes } from '../tokens.ts';
import { seedOf } from '../truth/digest.ts';

const OPENINGS = [
  'You asked about',
  'Let us look at',
  'A short answer on',
  'Here is what matters about',
] as const;

const BODIES = [
  'Start with the smallest case that matters, measure it, and change one thing at a time.',
  'The safe choice is usually the plain one: keep it simple until the numbers say otherwise.',
  'There are two sides to it, and which one weighs more depends on what you want to protect.',
  'Most of the work is in naming the question well; after that the steps follow by themselves.',
  'It helps to write down what would change your mind before you look at the result.',
  'If you can, try it on one example today and decide on the rest tomorrow.',
] as const;

export function proseFor(prompt: string): string {
  const seed = seedOf(prompt.slice(0, 256));
  const opening = OPENINGS[seed % OPENINGS.length];
  return `${opening} "${topicOf(prompt)}". ${sentence(seed >>> 3)} ${sentence((seed >>> 3) + 1)}`;
}

export function thoughtFor(prompt: string): string {
  return `The person wants to know about "${topicOf(prompt)}". I will answer in two plain sentences.`;
}

/** Repeats the answer to about this number of bytes. */
export function stretch(text: string, bytes: number): string {
  const size = Buffer.byteLength(text);
  if (size >= bytes) return capToBytes(text, bytes);
  let filler = '';
  for (let index = 0; filler.length < 4_096; index += 1) filler += ` ${sentence(index)}`;
  const missing = bytes - size;
  return text + filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing);
}

/** The first words of the prompt, on one line. */
export function topicOf(prompt: string): string {
  const words = prompt.slice(0, 200).split(/\s+/).filter(Boolean).slice(0, 8).join(' ');
  return words.slice(0, 80).replaceAll('"', "'") || 'nothing in particular';
}

function sentence(index: number): string {
  return BODIES[index % BODIES.length] ?? BODIES[0];
}
