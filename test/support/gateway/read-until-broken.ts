// Reads a response to its end, or until its connection breaks: a cut Gemini stream breaks after its error event.

export async function readUntilBroken({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return Buffer.concat(chunks).toString();
}
