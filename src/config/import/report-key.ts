// Reports the finding for a provider key, in the same form for all peers.

import type { ImportedVariable } from './credentials.ts';
import type { Findings } from './findings.ts';
import type { PeerNode } from './peer-node.ts';

export function reportKey(findings: Findings, node: PeerNode, variable: ImportedVariable): void {
  const to = `the variable ${variable.name}`;
  if (variable.source === 'literal') findings.changed(node, to, 'the key itself is not copied');
  else findings.taken(node, to);
}
