// "Try it": the request and the scenario at the left, the caller's answer in the middle, the sentence that a user would read at
// the right, and beneath them the gateway's steps. The form's choices are in the URL; the prompt is not.

import { useState } from 'preact/hooks';
import type { TryAnswer, TryOptions } from '../../../api/try-it.ts';
import { failureText, sendJson } from '../../app/api-client.ts';
import { route, setParams } from '../../app/router.ts';
import { useResource } from '../../app/use-resource.ts';
import { Card, Grid, PageHead } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { AnswerView } from './answer-view.tsx';
import { SentencesView } from './sentences-view.tsx';
import { StartOver } from './start-over.tsx';
import { StepsView } from './steps-view.tsx';
import { TryForm } from './try-form.tsx';
import { DEFAULT_LOCALES, DEFAULT_PROMPT, FORMATS, type TryChoices } from './try-words.ts';
import './try.css';

export default function TryPage() {
  const options = useResource<TryOptions>('/admin/try');
  const [prompt, setPrompt] = useState(DEFAULT_PROMPT);
  const [answer, setAnswer] = useState<TryAnswer>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const choices = readChoices(options.data);

  const send = async (scenario: string, locales = choices.locales): Promise<void> => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      const { format, model, isStreamed } = choices;
      const body = { format, model, prompt, stream: isStreamed, locales };
      setAnswer(
        await sendJson<TryAnswer>('POST', '/admin/try', {
          ...body,
          ...(scenario === '' ? {} : { scenario }),
        }),
      );
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <>
      <PageHead title="Try it">
        <StartOver />
      </PageHead>
      <Notice failure={options.failure ?? failure} />
      <Grid>
        <Card span={4} title="Request">
          <TryForm
            options={options.data}
            choices={choices}
            prompt={prompt}
            onPrompt={setPrompt}
            isBusy={isBusy}
            onSend={(scenario) => void send(scenario)}
          />
        </Card>
        <Card span={4} title="The caller gets">
          <AnswerView answer={answer} isBusy={isBusy} />
        </Card>
        <Card span={4} title="A user reads">
          <SentencesView
            answer={answer}
            isBusy={isBusy}
            locales={choices.locales}
            available={options.data?.locales ?? DEFAULT_LOCALES}
            onLocales={(locales) => {
              setParams({ locales: locales.join(',') }, true);
              if (answer && answer.code !== null) void send(choices.scenario, locales);
            }}
          />
        </Card>
        <Card title="The gateway did">
          <StepsView answer={answer} isBusy={isBusy} />
        </Card>
      </Grid>
    </>
  );
}

function readChoices(options: TryOptions | undefined): TryChoices {
  const { format, model, scenario = '', stream, locales } = route.value.params;
  return {
    format: FORMATS.find(({ value }) => value === format)?.value ?? 'messages',
    model: model ?? options?.models[0] ?? '',
    scenario,
    isStreamed: stream === 'true',
    locales: locales ? locales.split(',') : DEFAULT_LOCALES,
  };
}
