// The load of rows that compare gateways by their unary calls.

import { UNARY_BODY } from './programs/fixed-answers.ts';

export const UNARY_LOAD = {
  connections: 64,
  isStream: false,
  expectedBytes: UNARY_BODY.length,
  spreadMs: 0,
  sliceSeconds: 0.5,
};
