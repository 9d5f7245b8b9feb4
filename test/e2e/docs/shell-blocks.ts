// The commands of a document: the fenced blocks marked `sh`, in order. A block after `<!-- not run: reason -->` is skipped.

export type ShellBlock = {
  readonly line: number;
  readonly commands: readonly string[];
  /** Why the block is not run. */
  readonly notRun: string | undefined;
};

export function shellBlocks(document: string): readonly ShellBlock[] {
  return fencedBlocks(document)
    .filter(({ language }) => language === 'sh')
    .map(({ line, text, before }) => ({
      line,
      commands: splitCommands(text),
      notRun: /^<!-- not run: (.+) -->$/.exec(before)?.[1],
    }));
}

/** Lines of unmarked blocks that look like commands: they need the mark `sh`. */
export function unmarkedCommands(document: string): readonly string[] {
  const unmarked = fencedBlocks(document).filter(({ language }) => language === '');
  const lines = unmarked.flatMap(({ text }) => text.split('\n'));
  return lines.filter((line) => /^(?:\w+=\S+ )*(?:npx |npm |spillway |curl |git )/.test(line));
}

type FencedBlock = {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The line above the block. */
  readonly before: string;
};

function fencedBlocks(document: string): readonly FencedBlock[] {
  const lines = document.split('\n');
  const fences = [...lines.entries()].filter(([, line]) => line.startsWith('```'));
  return fences.flatMap(([start, fence], index) => {
    if (index % 2 === 1) return [];
    const text = lines.slice(start + 1, fences[index + 1]?.[0]).join('\n');
    const before = lines[start - 1] ?? '';
    return [{ line: start + 1, language: fence.slice(3).trim(), text, before }];
  });
}

/** A command ends with its line, unless the line ends with a backslash or within quotes. */
function splitCommands(text: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if (line.endsWith('\\') || open.split("'").length % 2 === 0) continue;
    if (open.trim() !== '' && !open.startsWith('#')) commands.push(open);
    open = '';
  }
  return commands;
}
