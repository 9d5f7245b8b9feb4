// The messages of the chat, stored for the lifetime of the tab.

import { useCallback, useEffect, useState } from 'react';

export type Message = { readonly role: 'user' | 'assistant'; readonly content: string };

const KEY = 'shop-conversation';

export function useConversation() {
  const [messages, setMessages] = useState(stored);
  useEffect(() => {
    sessionStorage.setItem(KEY, JSON.stringify(messages));
  }, [messages]);
  const add = useCallback((message: Message) => setMessages((all) => [...all, message]), []);
  /** Adds text to the last message. */
  const extend = useCallback(
    (text: string) =>
      setMessages((all) => {
        const last = all.at(-1);
        return last ? [...all.slice(0, -1), { ...last, content: last.content + text }] : all;
      }),
    [],
  );
  /** The conversation up to the last question: without an answer that broke off. */
  const untilQuestion = messages.slice(0, messages.findLastIndex(isQuestion) + 1);
  const repeat = useCallback(
    () => setMessages((all) => all.slice(0, all.findLastIndex(isQuestion) + 1)),
    [],
  );
  return { messages, untilQuestion, add, extend, repeat };
}

function isQuestion({ role }: Message): boolean {
  return role === 'user';
}

function stored(): readonly Message[] {
  const text = sessionStorage.getItem(KEY);
  return text === null ? [] : JSON.parse(text);
}
