// Findings that are alike for the deployments of all peers: keys and limits.

import type { ImportedVariable } from './credentials.ts';
import type { Endpoint } from './endpoints.ts';
import type { Findings } from './findings.ts';
import type { PeerNode } from './peer-node.ts';

export function reportKey(findings: Findings, node: PeerNode, variable: ImportedVariable): void {
  const to = `the variable ${variable.name}`;
  if (variable.source === 'literal') findings.changed(node, to, 'the key itself is not copied');
  else findings.taken(node, to);
}

/** An API with a native wire format is two providers, and each counts for itself. */
export function reportLimit(
  findings: Findings,
  node: PeerNode,
  to: string,
  { nativeFormat }: Endpoint,
): void {
  if (nativeFormat === undefined) findings.taken(node, to);
  else findings.changed(node, to, 'each of its two wire formats has this limit for itself');
}
