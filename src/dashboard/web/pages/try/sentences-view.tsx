// The sentence for a user of the product, in three languages that the reader chooses. The sentence comes from the
// error's code and its parameters, never from the provider's text.

import type { TryAnswer } from '../../../api/try-it.ts';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export type SentencesProps = {
  readonly answer: TryAnswer | undefined;
  readonly isBusy: boolean;
  readonly locales: readonly string[];
  readonly available: readonly string[];
  readonly onLocales: (locales: readonly string[]) => void;
};

export function SentencesView(props: SentencesProps) {
  const { answer, isBusy, locales, available, onLocales } = props;
  return (
    <div class="sentences" aria-live="polite">
      <div class="sentence-locales">
        {locales.map((locale, index) => (
          <Select
            key={index}
            label={`Language ${index + 1}`}
            isLabelHidden
            value={locale}
            choices={[...new Set([locale, ...available])].map((value) => ({
              value,
              text: languageName(value),
            }))}
            onChange={(value) => onLocales(locales.with(index, value))}
          />
        ))}
      </div>
      <SentenceList answer={answer} isBusy={isBusy} />
    </div>
  );
}

function SentenceList({ answer, isBusy }: Pick<SentencesProps, 'answer' | 'isBusy'>) {
  if (!answer)
    return isBusy ? (
      <Skeleton width="100%" height={160} />
    ) : (
      <Empty title="Nothing to read yet" icon="question">
        When a request fails, your users read a sentence in their own language, not the provider’s
        error.
      </Empty>
    );
  if (answer.code === null)
    return (
      <blockquote class="sentence">
        <p>{answer.text ?? ''}</p>
        <footer>The answer of the model. A success needs no sentence of the gateway.</footer>
      </blockquote>
    );
  return (
    <>
      {answer.sentences.map(({ locale, language, direction, text }) => (
        <blockquote key={locale} class={isBusy ? 'sentence try-busy' : 'sentence'}>
          <p lang={locale} dir={direction}>
            {text}
          </p>
          <footer>{language}</footer>
        </blockquote>
      ))}
    </>
  );
}

/** `de` → "Deutsch". */
function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}
